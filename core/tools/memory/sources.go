package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:        "memory_sources_list",
		Title:       "List what recall looks into",
		Description: "Lists what memory_recall can look into: memories, past conversations, and the files that the owner added.",
		Class:       capability.ReadOnly,
		Category:    capability.CategoryMemory,
		OwnerData:   true,
		Available:   ownersOnly,
		Hints:       capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "when it is not clear where something could be found again; only the owner adds files, with hobkin memory sources add PATH",
			Examples: []capability.Example{
				{When: "the person asks what is looked through", In: sourcesIn{}},
				{When: "a search found nothing and a file may not be among the sources", In: sourcesIn{}},
			},
		},
	}, (*Host).sources)
}

type sourcesIn struct{}

func (h *Host) sources(ctx context.Context, _ capability.Call, _ sourcesIn) (capability.Result, error) {
	list, err := h.Book.Sources(ctx)
	if err != nil {
		return capability.Result{}, err
	}
	var b strings.Builder
	b.WriteString("- memories\n- history: past conversations\n")
	for _, x := range list {
		fmt.Fprintf(&b, "- files: %s, %s", x.Path, count(x.Passages, "passage"))
		if x.Problem != "" {
			b.WriteString("; " + x.Problem)
		}
		b.WriteString("\n")
	}
	if len(list) == 0 {
		b.WriteString("No files were added.\n")
	}
	return capability.Result{Text: b.String(), Summary: count(len(list), "file")}, nil
}

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
