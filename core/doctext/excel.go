package doctext

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readAhead is how much of a sheet is read beyond what is shown, to learn how
// long it is and what is merged.
const readAhead = 64 << 20

// A book is a workbook (ECMA-376, SpreadsheetML) that is being read.
type book struct {
	ctx context.Context //nolint:containedctx // a book lives as long as one call
	*archive
	sheets  []sheetRef
	era1904 bool
	formats []numberFormat // by the number of a cell's style
}

type sheetRef struct {
	name   string
	hidden bool
	part   string
	chart  bool
}

// Workbook shows rows of the sheets of a workbook or OpenDocument spreadsheet,
// each row with its number and the cells with tabs in between, columns named on
// top. Dates are in ISO form, formulas stand behind their last value. Without a
// sheet in the range it goes on from one sheet to the next as long as there is
// room.
func Workbook(ctx context.Context, r io.ReaderAt, size int64, kind Kind, rg Range) (*Extract, error) {
	a, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	if kind == ODSheet {
		return readODSheets(ctx, a, rg)
	}
	bk := &book{ctx: ctx, archive: a}
	if err := bk.readBook(); err != nil {
		return nil, err
	}
	if err := bk.readFormats(); err != nil {
		return nil, err
	}
	return showSheets(bk.sheets, rg, bk.readSheet)
}

// showSheets writes the list of sheets and then those that are wanted.
func showSheets(sheets []sheetRef, rg Range, read func(s sheetRef, rg Range) (*grid, error)) (*Extract, error) {
	from, err := pickSheet(sheets, rg.Sheet)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(listOf(sheets))
	x := &Extract{}
	for i := from; i < len(sheets); i++ {
		if sheets[i].chart {
			continue
		}
		if rg.Count > 0 && x.Shown >= rg.Count || b.Len() >= rg.bytes() {
			x.Sheet, x.Next = sheets[i].name, 1
			break
		}
		one := rg
		if i > from {
			one.First, one.Count = 1, max(rg.Count-x.Shown, 0)
		}
		g, err := read(sheets[i], one)
		if err != nil {
			return nil, err
		}
		g.write(&b, x, rg.bytes())
		if x.Next > 0 || rg.Sheet != "" || rg.First > 1 && x.Shown == 0 {
			break
		}
	}
	x.Text = b.String()
	return x, nil
}

// ErrNoSheet is returned when a workbook has no sheet of the name asked for.
type ErrNoSheet struct {
	Sheet string
	Have  []string
}

// Error is the reason as a sentence.
func (e *ErrNoSheet) Error() string {
	return fmt.Sprintf("there is no sheet %q; there are %s", e.Sheet, strings.Join(e.Have, ", "))
}

// pickSheet finds a sheet by its name or, when none has that, its number.
func pickSheet(sheets []sheetRef, want string) (int, error) {
	if want == "" {
		return 0, nil
	}
	none := &ErrNoSheet{Sheet: want}
	for i, s := range sheets {
		if strings.EqualFold(s.name, want) && !s.chart {
			return i, nil
		}
		const most = 50
		if len(none.Have) < most {
			none.Have = append(none.Have, strconv.Quote(s.name))
		}
	}
	if n, err := strconv.Atoi(want); err == nil && n > 0 && n <= len(sheets) && !sheets[n-1].chart {
		return n - 1, nil
	}
	return 0, none
}

func listOf(sheets []sheetRef) string {
	const most = 200
	names := make([]string, 0, min(len(sheets), most))
	for _, s := range sheets[:min(len(sheets), most)] {
		name := strconv.Quote(s.name)
		switch {
		case s.chart:
			name += " (a chart)"
		case s.hidden:
			name += " (hidden)"
		}
		names = append(names, name)
	}
	if len(sheets) > most {
		names = append(names, "…")
	}
	return "Workbook with " + plural(len(sheets), "sheet") + ": " + strings.Join(names, ", ") + "\n"
}

func (bk *book) readBook() error {
	const main = "xl/workbook.xml"
	links, err := bk.targets(bk.ctx, main)
	if err != nil {
		return err
	}
	w, err := bk.must(bk.ctx, main)
	if err != nil {
		return err
	}
	return w.each(func(tag xml.StartElement) error {
		switch tag.Name.Local {
		case "workbookPr":
			v := attr(tag, "date1904")
			bk.era1904 = v == "1" || v == "true"
		case "sheet":
			to := resolve(main, links[relAttr(tag, "id")])
			if len(bk.sheets) < maxStyles {
				bk.sheets = append(bk.sheets, sheetRef{
					name: attr(tag, "name"), hidden: strings.Contains(strings.ToLower(attr(tag, "state")), "hidden"),
					part: to, chart: strings.Contains(to, "chartsheets/"),
				})
			}
		}
		return nil
	})
}

// readFormats learns which styles of cells show dates.
func (bk *book) readFormats() error {
	w, err := bk.walk(bk.ctx, "xl/styles.xml")
	if err != nil || w == nil {
		return err
	}
	codes := map[string]numberFormat{}
	inCells := false
	const most = 70_000 // formats of a workbook: Excel has 65,490
	return w.each(func(tag xml.StartElement) error {
		switch tag.Name.Local {
		case "numFmt":
			if len(codes) < most {
				codes[attr(tag, "numFmtId")] = formatOf(attr(tag, "formatCode"))
			}
		case "cellXfs":
			inCells = true
		case "cellStyles", "cellStyleXfs", "dxfs":
			inCells = false
		case "xf":
			if !inCells || len(bk.formats) >= most {
				return nil
			}
			id := attr(tag, "numFmtId")
			f, ok := codes[id]
			if !ok {
				f = builtIn(id)
			}
			bk.formats = append(bk.formats, f)
		}
		return nil
	})
}
