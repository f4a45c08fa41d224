package file

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/textfile"
)

// A diff is what a change does to a file, for people.
type diff struct {
	text           string // unified
	added, removed int    // lines
}

// maxDiffed bounds what is compared line by line.
const maxDiffed = 4 << 20

// diffOf compares two contents of a file as text in their encodings.
func (h *Host) diffOf(abs string, before, after []byte, existed, remains bool) diff {
	from, to := "a/"+filepath.Base(abs), "b/"+filepath.Base(abs)
	if !existed {
		from = "/dev/null"
	}
	if !remains {
		to = "/dev/null"
	}
	old, okOld := textfile.Decode(before)
	now, okNow := textfile.Decode(after)
	if !okOld || !okNow || len(before)+len(after) > maxDiffed {
		return h.roughDiff(from, to, before, after)
	}
	d := diff{text: udiff.Unified(from, to, old.String(), now.String())}
	if d.text == "" && string(before) != string(after) {
		d.text = fmt.Sprintf("--- %s\n+++ %s\n(only the encoding changes: %s → %s)\n", from, to, old.Encoding.Name, now.Encoding.Name)
	}
	for line := range strings.Lines(d.text) {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case line[0] == '+':
			d.added++
		case line[0] == '-':
			d.removed++
		}
	}
	if most := h.limits().Diff; len(d.text) > most {
		d.text = capability.CutText(d.text, most) + "\n(the rest of the diff is left out)\n"
	}
	return d
}

// roughDiff stands in for what cannot be compared line by line.
func (h *Host) roughDiff(from, to string, before, after []byte) diff {
	lines := func(data []byte) int { return strings.Count(string(data), "\n") }
	return diff{
		text: fmt.Sprintf("--- %s\n+++ %s\n(%s of %s become %s of %s)\n", from, to,
			size(int64(len(before))), kindOf(before), size(int64(len(after))), kindOf(after)),
		added: lines(after), removed: lines(before),
	}
}

// kindOf names what data is, in a word or two.
func kindOf(data []byte) string {
	if textfile.Detect(data) == nil {
		return "binary data"
	}
	return "text"
}

// lines is how many lines a person has to look at.
func (d diff) lines() int { return max(d.added, d.removed) }

// stat is the size of the change in words.
func (d diff) stat() string {
	switch {
	case d.added > 0 && d.removed > 0:
		return fmt.Sprintf("%s added, %d removed", count(d.added, "line"), d.removed)
	case d.removed > 0:
		return count(d.removed, "line") + " removed"
	}
	return count(d.added, "line") + " added"
}
