package system

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/capability"
)

// Outputs are the whole outputs that were saved because they were too long for
// the chat.
type Outputs interface {
	// Output returns the output of a call of a session. Where there is none the
	// ids of calls that have one are returned, the newest first.
	Output(ctx context.Context, session, call string) (text string, ids []string, err error)
}

var (
	noOutput = &capability.Failure{Code: "no_output", When: "no output of that call was saved in this session", Try: "use a call_id that a result named; the message lists the newest"}
	noMatch  = &capability.Failure{Code: "no_match", When: "the words are nowhere in the output", Try: "search for fewer or other words, or read lines with from_line"}
	pastEnd  = &capability.Failure{Code: "past_the_end", When: "the output has fewer lines", Try: "use a smaller from_line"}
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:  "tool_result_recall",
		Title: "Look into a saved output",
		Description: "Looks into the whole output of an earlier call of this conversation, which was shortened in the chat: " +
			"with query it returns the lines that have all its words, with lines around them, else a range of lines.",
		Class:    capability.ReadOnly,
		Category: capability.CategorySystem,
		Hints:    capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No, Exact: true},
		Docs: capability.Docs{
			When: "when a result says that its whole output is saved and what is needed was left out; rather than making the call again",
			Examples: []capability.Example{
				{When: "a long build failed, and the first error is wanted", In: recallIn{CallID: "turn_ab12.3", Query: "error"}},
				{When: "what stands in the middle is wanted", In: recallIn{CallID: "turn_ab12.3", FromLine: 400, Lines: 80}},
			},
			Fails: []*capability.Failure{noOutput, noMatch, pastEnd},
		},
	}, (*Host).recall)
}

type recallIn struct {
	CallID   string `json:"call_id" min:"1" max:"200" jsonschema:"the call_id that the shortened result named"`
	Query    string `json:"query,omitempty" max:"500" jsonschema:"words that a line must have, in any order and case"`
	FromLine int    `json:"from_line,omitempty" min:"1" jsonschema:"first line to return, or to search from; 1 when left out"`
	Lines    int    `json:"lines,omitempty" min:"1" max:"400" jsonschema:"how many lines to return, 200 when left out; with query how many matches, 20 when left out"`
}

// Bounds of one answer.
const (
	recallBytes   = 24_000 // of all lines together
	recallLine    = 600    // of one line: more of it would crowd out the others
	recallAround  = 2      // lines shown before and behind a match
	recallLines   = 200
	recallMatches = 20
)

// The result is framed as data from outside: a saved output may hold anything.
func (h *Host) recall(ctx context.Context, call capability.Call, in recallIn) (capability.Result, error) {
	if h.Outputs == nil {
		return capability.Result{}, noOutput.Becausef("outputs are not saved here")
	}
	text, ids, err := h.Outputs.Output(ctx, call.Turn.Session, in.CallID)
	switch {
	case err != nil:
		return capability.Result{}, fmt.Errorf("system: reading an output: %w", err)
	case text == "" && len(ids) == 0:
		return capability.Result{}, noOutput.Becausef("no output was saved in this session so far")
	case text == "":
		return capability.Result{}, noOutput.Becausef("no output of the call %q was saved; the newest are %s", in.CallID, strings.Join(ids, ", "))
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	first := max(in.FromLine, 1) - 1
	if first >= len(lines) {
		return capability.Result{}, pastEnd.Becausef("the output has %d lines; line %d was asked for", len(lines), in.FromLine)
	}
	page := pageOf(lines)
	words := strings.Fields(strings.ToLower(in.Query))
	if len(words) == 0 {
		page.rangeOf(first, in.Lines)
		return page.result("%d of %d lines", page.shown, len(lines)), nil
	}
	found := page.search(first, words, in.Lines)
	if found == 0 {
		return capability.Result{}, noMatch.Becausef("no line from %d on has %q; the output has %d lines", first+1, in.Query, len(lines))
	}
	return page.result("%d of %d matches", page.hits, found), nil
}

// A recallPage is what is shown of an output.
type recallPage struct {
	strings.Builder
	lines []string
	next  int // line that would come next; what is not, was left out
	shown int
	hits  int // matches that are shown
	words []string
}

func pageOf(lines []string) *recallPage { return &recallPage{lines: lines} }

// rangeOf shows lines from the first on.
func (p *recallPage) rangeOf(first, count int) {
	if count == 0 {
		count = recallLines
	}
	p.next = first
	for i := first; i < min(first+count, len(p.lines)) && p.show(i); i++ {
	}
	if p.next < len(p.lines) {
		fmt.Fprintf(p, "(%d more lines; go on with from_line %d)\n", len(p.lines)-p.next, p.next+1)
	}
}

// search shows the lines that have all words, with the lines around them, and
// returns how many there are.
func (p *recallPage) search(first int, words []string, most int) (found int) {
	if most == 0 {
		most = recallMatches
	}
	p.next, p.words = first, words
	full, last := false, first
	for i := first; i < len(p.lines); i++ {
		if !hasAll(p.lines[i], words) {
			continue
		}
		if found++; full || found > most {
			full = true
			continue
		}
		for j := max(i-recallAround, p.next); j <= min(i+recallAround, len(p.lines)-1) && !full; j++ {
			full = !p.show(j)
		}
		if p.next > i {
			p.hits, last = p.hits+1, i
		}
	}
	if found > p.hits {
		fmt.Fprintf(p, "(%d more matches; go on with from_line %d)\n", found-p.hits, last+2)
	}
	return found
}

func hasAll(line string, words []string) bool {
	line = strings.ToLower(line)
	for _, w := range words {
		if !strings.Contains(line, w) {
			return false
		}
	}
	return true
}

// show adds a line with its number, as long as there is room. The first line
// always has room.
func (p *recallPage) show(i int) bool {
	line := p.lines[i]
	if len(line) > recallLine {
		line = p.excerpt(line)
	}
	if p.shown > 0 && p.Len()+len(line) > recallBytes {
		return false
	}
	if i > p.next && p.shown > 0 {
		p.WriteString("…\n")
	}
	fmt.Fprintf(p, "%d: %s\n", i+1, line)
	p.next, p.shown = i+1, p.shown+1
	return true
}

// excerpt is the part of a long line around what was searched for.
func (p *recallPage) excerpt(line string) string {
	at := 0
	if len(p.words) > 0 {
		at = max(0, strings.Index(strings.ToLower(line), p.words[0]))
	}
	from := max(0, min(at, len(line))-recallLine/3)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	part := capability.CutText(line[from:], recallLine)
	left := len(line) - len(part)
	if from > 0 {
		part = "…" + part
	}
	return fmt.Sprintf("%s… (%d bytes of this line left out)", part, left)
}

func (p *recallPage) result(format string, args ...any) capability.Result {
	return capability.Result{Text: strings.TrimSuffix(p.String(), "\n"), Summary: fmt.Sprintf(format, args...), Untrusted: true}
}
