package doctext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	maxText = 8 << 20  // bytes of text of one document
	maxNote = 64 << 10 // bytes of one comment or note
)

// errFull ends the reading of a document whose text is long enough.
var errFull = errors.New("the text is long enough")

// Text is the text of a document of words or of slides, in lines, with the
// marks of Markdown for headings, lists, tables and links, and those of
// CriticMarkup for tracked changes and comments: {++put in++}, {--taken out--},
// {>>Name: a comment<<}. A text that is too long ends with a word about it.
func Text(ctx context.Context, r io.ReaderAt, size int64, kind Kind) (string, error) {
	a, err := openArchive(r, size)
	if err != nil {
		return "", err
	}
	var out sink
	switch kind {
	case Word:
		err = readWord(ctx, a, &out)
	case Slides:
		err = readSlides(ctx, a, &out)
	case ODText, ODSlide:
		err = readODText(ctx, a, &out)
	default:
		return "", fmt.Errorf("doctext: %q is not read as text", kind)
	}
	if errors.Is(err, errFull) {
		out.b.WriteString(fmt.Sprintf("\n(the text is longer than %d MB; the rest is left out)\n", maxText>>20))
		err = nil
	}
	return out.b.String(), err
}

// A sink takes text up to a bound.
type sink struct {
	b strings.Builder
}

// block writes a paragraph or a table on lines of its own.
func (s *sink) block(text string) error {
	text = strings.TrimRight(text, "\n")
	room := maxText - s.b.Len()
	if len(text) <= room {
		s.b.WriteString(text + "\n")
		return nil
	}
	for room = max(room, 0); room > 0 && !utf8.RuneStart(text[room]); {
		room--
	}
	s.b.WriteString(text[:room] + "\n")
	return errFull
}

// row writes the cells of a table's row as Markdown does.
func row(cells []string) string {
	var b strings.Builder
	b.WriteByte('|')
	for _, c := range cells {
		b.WriteString(" " + cellText(c, " / ") + " |")
	}
	return b.String()
}

// cellText is a text on one line that does not end its cell.
func cellText(text, newline string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "\n|") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\n", newline), "|", `\|`)
	}
	return text
}

// tableText is a whole table. The first row is its head.
func tableText(rows [][]string) string {
	var b strings.Builder
	for i, r := range rows {
		b.WriteString(row(r) + "\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(r)) + "\n")
		}
	}
	return b.String()
}
