package doctext

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of separated values.
const (
	maxRecord = 1 << 20 // bytes of one record; a quote that never closes makes a longer one
	sniffSize = 64 << 10
	maxFields = 64   // columns that are shown in line
	maxShown  = 2000 // bytes of a cell that are shown
)

// ErrNoTable is returned for text that cannot be read as a table, such as one
// with a quote that never closes.
var ErrNoTable = errors.New("it cannot be read as a table")

// Table shows separated values, already UTF-8, as rows of cells with tabs in
// between. Each row begins with the number of the line where it starts, and the
// range is of those lines, so that both views of a file agree. Quotes out of
// place are taken as text.
func Table(ctx context.Context, r io.Reader, tabs bool, rg Range) (*Extract, error) {
	br := bufio.NewReaderSize(r, sniffSize)
	head, _ := br.Peek(sniffSize) // an error comes again when it is read
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		return nil, fmt.Errorf("%w: its lines end as on old Macs", ErrNoTable)
	}
	t := &table{rg: rg, comma: Delimiter(head, tabs)}
	limit := &recordLimit{r: br}
	in := csv.NewReader(limit)
	in.Comma, in.LazyQuotes, in.FieldsPerRecord, in.ReuseRecord = t.comma, true, -1, true
	for {
		limit.run = 0
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return t.extract(), nil
		}
		if err != nil {
			return nil, noTable(err)
		}
		line, _ := in.FieldPos(0)
		if line%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := t.add(line, fields); err != nil {
			return nil, err
		}
	}
}

// A table is the part of a text of values that is shown.
type table struct {
	rg      Range
	comma   rune
	columns int
	head    string // the first row, shown again above a later part
	b       strings.Builder
	x       Extract
}

func (t *table) add(line int, fields []string) error {
	const mostLines = 100 // of one record; more are a quote that was left open
	for _, f := range fields {
		if strings.Count(f, "\n") > mostLines {
			return fmt.Errorf("%w: a quote that opens in line %d does not close", ErrNoTable, line)
		}
	}
	first := t.x.Total == 0
	t.x.Total = line
	t.columns = max(t.columns, len(fields))
	if t.x.Next > 0 || line < t.rg.first() && !first {
		return nil
	}
	text := fmt.Sprintf("%6d\t%s\n", line, tableRow(fields))
	switch {
	case line < t.rg.first():
		t.head = text
	case t.rg.Count > 0 && t.x.Shown == t.rg.Count, t.x.Shown > 0 && t.b.Len()+len(text) > t.rg.bytes():
		t.x.Next = line
	default:
		t.b.WriteString(text)
		t.x.Shown++
	}
	return nil
}

func (t *table) extract() *Extract {
	if t.x.Shown > 0 {
		t.x.Text = t.head + t.b.String()
	}
	t.x.Note = plural(t.columns, "column") + " separated by " + delimiterName(t.comma)
	return &t.x
}

// noTable is a fault of the values, in words.
func noTable(err error) error {
	if errors.Is(err, errLongRecord) {
		return fmt.Errorf("%w: a quote in it never closes, or a record is longer than %d MB", ErrNoTable, maxRecord>>20)
	}
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%w: line %d: %w", ErrNoTable, bad.Line, bad.Err)
	}
	return err
}

// tableRow is one row: cells with tabs in between. Of those far to the right only
// the ones that hold something are there, with their columns. A row that is very
// long ends with a word about the rest.
func tableRow(fields []string) string {
	const most = 32 << 10 // bytes
	near := make([]string, 0, maxFields)
	for _, f := range fields[:min(len(fields), maxFields)] {
		near = append(near, oneLine(f))
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(strings.Join(near, "\t"), "\t"))
	left := 0
	for i := maxFields; i < len(fields); i++ {
		switch {
		case fields[i] == "":
		case b.Len() > most:
			left++
		default:
			b.WriteString("\t" + columnName(i+1) + "=" + oneLine(fields[i]))
		}
	}
	if left > 0 {
		b.WriteString("\t… (" + plural(left, "more cell") + " in this row)")
	}
	return b.String()
}

var oneLiner = strings.NewReplacer("\r\n", " ⏎ ", "\n", " ⏎ ", "\r", " ⏎ ", "\t", " ⇥ ")

// oneLine is a cell's text on one line, without tabs, and not too long.
func oneLine(text string) string {
	const most = maxShown
	if strings.ContainsAny(text, "\r\n\t") {
		text = oneLiner.Replace(text)
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (%d more bytes)", len(text)-most)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// columnName is a column's name in letters: 1 is A, 28 is AB.
func columnName(n int) string {
	var b []byte
	for ; n > 0; n = (n - 1) / 26 {
		b = append([]byte{byte('A' + (n-1)%26)}, b...)
	}
	return string(b)
}

// Delimiter is what separates the values of a text: of comma, semicolon, tab
// and bar the one that splits most lines, and those alike. tabs prefers the tab.
func Delimiter(head []byte, tabs bool) rune {
	if tabs && bytes.IndexByte(head, '\t') >= 0 {
		return '\t'
	}
	best, bestScore := ',', 0.0
	for _, d := range []rune{',', ';', '\t', '|'} {
		in := csv.NewReader(bytes.NewReader(head))
		in.Comma, in.LazyQuotes, in.FieldsPerRecord, in.ReuseRecord = d, true, -1, true
		counts, records := map[int]int{}, 0
		const look = 200 // records
		for records < look {
			fields, err := in.Read()
			if err != nil {
				break
			}
			records++
			counts[len(fields)]++
		}
		for fields, n := range counts {
			// that the lines agree counts much, many columns count a little
			score := float64(n) * (1 - 1/float64(fields))
			if score > bestScore {
				best, bestScore = d, score
			}
		}
	}
	return best
}

func delimiterName(d rune) string {
	switch d {
	case '\t':
		return "tabs"
	case ';':
		return "semicolons"
	case '|':
		return "bars"
	}
	return "commas"
}

var errLongRecord = errors.New("a record is too long")

// A recordLimit fails when more is read than a record may have; its run is set
// back between records. The reader behind it reads ahead, which is allowed for.
type recordLimit struct {
	r   io.Reader
	run int
}

// Read reads like an [io.Reader].
func (l *recordLimit) Read(p []byte) (int, error) {
	if l.run > maxRecord {
		return 0, errLongRecord
	}
	n, err := l.r.Read(p)
	l.run += n
	return n, err
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
