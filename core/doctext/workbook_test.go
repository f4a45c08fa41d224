package doctext

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/doctext/doctexttest"
)

// body is what stands under the head of the only sheet.
func body(text string) string {
	_, rest, _ := strings.Cut(text, "=== sheet \"Data\" ===\n")
	rest, _, _ = strings.Cut(rest, "(")
	_, rows, ok := strings.Cut(rest, "\n")
	if !ok {
		return rest
	}
	return rows
}

func TestOddWorkbooks(t *testing.T) {
	for name, tt := range map[string]struct {
		rows, shared string
		want         string
	}{
		"no addresses":         {`<row><c><v>1</v></c><c t="b"><v>1</v></c></row><row><c><v>2</v></c></row>`, "", "     1\t1\tTRUE\n     2\t2\n"},
		"columns out of order": {`<row r="1"><c r="C1"><v>3</v></c><c r="A1"><v>1</v></c></row>`, "", "     1\t1\t\t3\n"},
		"a column twice":       {`<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>`, "", "     1\t1\n"},
		"last cell":            {`<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`, "", "1048576\t\tXFD=1\n"},
		"beyond the last":      {`<row r="99999999999"><c r="ZZZZZ1"><v>1</v></c></row>`, "", "     1\t1\n"},
		"shared":               {`<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="s"><v>7</v></c><c r="C1" t="s"><v>-1</v></c></row>`, `<si><t>no</t></si><si><r><t>ye</t></r><r><t>s</t></r><rPh><t>ignored</t></rPh></si>`, "     1\tyes\n"},
		"inline":               {`<row r="1"><c r="A1" t="inlineStr"><is><t>in &lt;line&gt;</t></is></c></row>`, "", "     1\tin <line>\n"},
		"formula, no value":    {`<row r="1"><c r="A1"><f>A2+1</f></c></row>`, "", "     1\t[=A2+1]\n"},
		"error":                {`<row r="1"><c r="A1" t="e"><v>#REF!</v></c></row>`, "", "     1\t#REF!\n"},
		"exponent":             {`<row r="1"><c r="A1"><v>1.5E-3</v></c><c r="B1"><v>0.30000000000000004</v></c></row>`, "", "     1\t1.5E-3\t0.3\n"},
		"ISO date":             {`<row r="1"><c r="A1" t="d"><v>2026-01-31</v></c></row>`, "", "     1\t2026-01-31\n"},
		"style of no style":    {`<row r="1"><c r="A1" s="99"><v>46053</v></c></row>`, "", "     1\t46053\n"},
		"tab and line end":     {`<row r="1"><c r="A1" t="str"><v>a&#9;b&#10;c</v></c></row>`, "", "     1\ta ⇥ b ⏎ c\n"},
		"no rows":              {``, "", ""},
		"empty cells only":     {`<row r="5"><c r="A5" s="1"/></row>`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			parts := doctexttest.Workbook(tt.rows)
			if tt.shared != "" {
				parts["xl/sharedStrings.xml"] = "<sst>" + tt.shared + "</sst>"
			}
			got, err := show(t, doctexttest.Zip(parts), Range{})
			if d := cmp.Diff(tt.want, body(got)); d != "" || err != nil {
				t.Errorf("%v %s in %s", err, d, got)
			}
		})
	}
}

func TestWorkbookRange(t *testing.T) {
	var rows strings.Builder
	for i := range 5000 {
		n := strconv.Itoa(i + 1)
		rows.WriteString(`<row r="` + n + `"><c r="A` + n + `"><v>` + n + `</v></c></row>`)
	}
	parts := doctexttest.Workbook(rows.String())
	parts["xl/workbook.xml"] = strings.Replace(parts["xl/workbook.xml"], "<sheets>", `<sheets><sheet name="7" state="veryHidden" r:id="rId2"/>`, 1)
	parts["xl/_rels/workbook.xml.rels"] = doctexttest.Links("worksheets/sheet1.xml", "/xl/worksheets/two.xml")
	parts["xl/worksheets/two.xml"] = `<worksheet><sheetData><row r="3"><c r="B3"><v>9</v></c></row></sheetData></worksheet>`
	data := doctexttest.Zip(parts)
	r := bytes.NewReader(data)
	for name, tt := range map[string]struct {
		rg                 Range
		shown, next, total int
		sheet              string
	}{
		"all, as far as there is room": {Range{Bytes: 1000}, 89, 89, 5000, "Data"},
		"some":                         {Range{Sheet: "data", First: 100, Count: 10}, 10, 110, 5000, "Data"},
		"the last":                     {Range{Sheet: "2", First: 4991, Count: 50}, 10, 0, 5000, "Data"},
		"behind the end":               {Range{Sheet: "Data", First: 5001}, 0, 0, 5000, "Data"},
		"a name that is a number":      {Range{Sheet: "7"}, 1, 0, 3, "7"},
		"by number":                    {Range{Sheet: "1"}, 1, 0, 3, "7"},
		"from the first on":            {Range{Count: 3}, 3, 3, 5000, "Data"},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := Workbook(t.Context(), r, r.Size(), Excel, tt.rg)
			if err != nil {
				t.Fatal(err)
			}
			if x.Shown != tt.shown || x.Next != tt.next || x.Total != tt.total || x.Sheet != tt.sheet {
				t.Errorf("shown %d, next %d, total %d of %q; want %d, %d, %d of %q", x.Shown, x.Next, x.Total, x.Sheet, tt.shown, tt.next, tt.total, tt.sheet)
			}
		})
	}
	_, err := Workbook(t.Context(), r, r.Size(), Excel, Range{Sheet: "nope"})
	if none, ok := errors.AsType[*ErrNoSheet](err); !ok || len(none.Have) != 2 {
		t.Errorf("got %v", err)
	}
}

func TestFormats(t *testing.T) {
	for code, want := range map[string]numberFormat{
		"General": general, "0.00": general, "#,##0": general, "@": general, "0%": percent, "0.0%;[Red]-0.0%": percent,
		"yyyy-mm-dd": dateOnly, "d. mmmm yyyy": dateOnly, "mmm": dateOnly, "[$-407]dd.mm.yy": dateOnly, "yyyy-mm-dd;@": dateOnly,
		"hh:mm": timeOfDay, "mm:ss.0": timeOfDay, "h:mm AM/PM": timeOfDay, "m/d/yy h:mm": dateTime,
		"[h]:mm": duration, "[mm]:ss": duration, `"day" 0`: general, `0 "hours"`: general, `\d0`: general, `#,##0.00 "€"`: general,
		"[Red]0": general, "[>100]0.0": general, "": general, `"`: general, "[": general, `\`: general, "_-* #,##0.00_-": general,
	} {
		if got := formatOf(code); got != want {
			t.Errorf("%q is %d, want %d", code, got, want)
		}
	}
	for _, tt := range []struct {
		f     numberFormat
		value string
		era   bool
		want  string
	}{
		{dateOnly, "1", false, "1900-01-01"},
		{dateOnly, "59", false, "1900-02-28"},
		{dateOnly, "61", false, "1900-03-01"},
		{dateOnly, "46053", false, "2026-01-31"},
		{dateOnly, "44591", true, "2026-01-31"},
		{dateOnly, "0", true, "1904-01-01"},
		{dateOnly, "46053.75", false, "2026-01-31 18:00:00"},
		{dateTime, "46053.999999", false, "2026-02-01 00:00:00"},
		{timeOfDay, "0.5", false, "12:00:00"},
		{duration, "1.25", false, "30:00:00"},
		{duration, "0.0000116", false, "0:00:01"},
		{dateOnly, "-1", false, "-1"},
		{dateOnly, "1e300", false, "1e300"},
		{dateOnly, "text", false, "text"},
		{dateOnly, "NaN", false, "NaN"},
		{percent, "0.07", false, "7%"},
		{percent, "0.285", false, "28.5%"},
		{general, "123456789012345678", false, "123456789012345678"},
	} {
		if got := tt.f.text(tt.value, tt.era); got != tt.want {
			t.Errorf("%d %s (1904: %v): got %q, want %q", tt.f, tt.value, tt.era, got, tt.want)
		}
	}
}

func TestColumnNames(t *testing.T) {
	for n, want := range map[int]string{1: "A", 26: "Z", 27: "AA", 52: "AZ", 53: "BA", 702: "ZZ", 703: "AAA", lastColumn: "XFD"} {
		if got := columnName(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
		if row, column, ok := cellRef(want + "12"); row != 12 || column != n || !ok {
			t.Errorf("%s12 is row %d, column %d, %v", want, row, column, ok)
		}
	}
	for _, bad := range []string{"", "A", "1", "A0", "A-1", "XFE1", "ABCDE1", "A1048577", "Ä1"} {
		if _, _, ok := cellRef(bad); ok {
			t.Errorf("%q is taken for a cell", bad)
		}
	}
}
