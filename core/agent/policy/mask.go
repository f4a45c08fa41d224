package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// Defaults of masking.
const (
	keepWhole   = 2        // last results of tools stay whole, at least those of the last step
	maskOver    = 256      // bytes of an old result that are worth masking
	maskResults = 4        // so many old results are worth a round,
	maskBytes   = 24 << 10 // or so many bytes of them;
	maskMost    = 64       // behind so many masked ones a summary says more
)

// maskPrefix begins what stands in place of a result.
const maskPrefix = "[This result of "

// Mask returns the history with its old results left out, and whether there
// were enough of them for that. Texts of skills stay: they are instructions.
func Mask(history []provider.Message) ([]provider.Message, bool) {
	whole := wholeFrom(history)
	results, bytes, before := 0, 0, 0
	for _, m := range history[:whole] {
		for _, p := range m.Parts {
			r, ok := p.(provider.ToolResult)
			switch {
			case ok && maskable(r):
				results, bytes = results+1, bytes+len(r.Text)+imageBytes(provider.Message{Parts: []provider.Part{r}})
			case ok && strings.HasPrefix(r.Text, maskPrefix):
				before++
			}
		}
	}
	if results < maskResults && bytes < maskBytes || before > maskMost {
		return history, false
	}
	out := slices.Clone(history)
	for i := range whole {
		out[i] = change(out[i], mask)
	}
	return out, true
}

func maskable(r provider.ToolResult) bool {
	return (len(r.Text) > maskOver || len(r.Images) > 0) && !isSkill(r.Name) && !strings.HasPrefix(r.Text, maskPrefix)
}

func mask(p provider.Part) (provider.Part, bool) {
	r, ok := p.(provider.ToolResult)
	if !ok || !maskable(r) {
		return p, false
	}
	outside := strings.Contains(r.Text, frame)
	r.Text = fmt.Sprintf("%s%d bytes was left out to save space. Make the call again if you need it.]", maskPrefix, len(r.Text))
	if outside {
		r.Text += "\n" + outsideNote
	}
	if len(r.Images) > 0 {
		r.Text, r.Images = r.Text+"\n"+imagesLeftOut, nil
	}
	return r, true
}

// wholeFrom returns the index from which results are kept whole.
func wholeFrom(history []provider.Message) int {
	kept := 0
	for i, m := range slices.Backward(history) {
		for _, p := range m.Parts {
			if _, ok := p.(provider.ToolResult); ok {
				kept++
			}
		}
		if kept >= keepWhole {
			return i
		}
	}
	return 0
}

// isSkill reports whether a tool's result is the text of a skill.
func isSkill(tool string) bool { return tool == "skill_view" }
