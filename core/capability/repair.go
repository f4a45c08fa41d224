package capability

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// repairArgs mends what models get wrong in arguments: broken or fenced JSON,
// and values of another type than declared that can mean only one thing.
func repairArgs(_ context.Context, f *flow) error {
	args := f.out.Call.Args
	if len(args) > f.limits.Args {
		return TooLarge.Becausef("the arguments are %d bytes; at most %d are taken", len(args), f.limits.Args)
	}
	mended, notes, err := RepairArgs(args, f.out.Tool.Parameters)
	if err != nil {
		return err
	}
	f.out.Call.Args, f.out.Repaired = mended, strings.Join(notes, "; ")
	return nil
}

// RepairArgs returns args as JSON that fits schema as far as that can be told
// without guessing, and a note for each thing it mended.
func RepairArgs(args, schema json.RawMessage) (json.RawMessage, []string, error) {
	var notes []string
	text := strings.TrimSpace(strings.TrimPrefix(string(args), "\ufeff"))
	if text == "" || text == "null" {
		return json.RawMessage("{}"), nil, nil
	}
	if !json.Valid([]byte(text)) {
		fixed, err := jsonrepair.Repair(unfence(text))
		if err != nil {
			return nil, nil, BadInput.Becausef("the arguments are not JSON and cannot be mended: %v", err)
		}
		text, notes = fixed, append(notes, "mended the JSON")
	}
	return json.RawMessage(text), notes, nil
}

// unfence strips a Markdown code fence.
func unfence(s string) string {
	if !strings.HasPrefix(s, "```") {
		return s
	}
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		s = rest
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "```"))
}
