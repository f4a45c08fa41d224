package doctext

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		tabs bool
		rg   Range
		want string
		note string
		next int
		err  error
	}{
		"commas":            {in: "a,b\n1,2\n", want: "     1\ta\tb\n     2\t1\t2\n", note: "2 columns separated by commas"},
		"semicolons":        {in: "Name;Betrag\nMiete;900,50\nStrom;80,00\n", want: "     1\tName\tBetrag\n     2\tMiete\t900,50\n     3\tStrom\t80,00\n", note: "2 columns separated by semicolons"},
		"bars":              {in: "a|b,c\n1|2,3\n2|4\n", want: "     1\ta\tb,c\n     2\t1\t2,3\n     3\t2\t4\n", note: "2 columns separated by bars"},
		"tabs by name":      {in: "a,b\tc\nd,e\tf\n", tabs: true, want: "     1\ta,b\tc\n     2\td,e\tf\n", note: "2 columns separated by tabs"},
		"one column":        {in: "a\nb\n", want: "     1\ta\n     2\tb\n", note: "1 column separated by commas"},
		"quotes":            {in: "a,\"b,\"\"c\"\"\nd\"\ne,f\n", want: "     1\ta\tb,\"c\" ⏎ d\n     3\te\tf\n", note: "2 columns separated by commas"},
		"quotes misplaced":  {in: "a\"b,5\" pipe\n\"x\" y\",z\n", want: "     1\ta\"b\t5\" pipe\n     2\tx\" y\tz\n", note: "2 columns separated by commas"},
		"ragged":            {in: "a,b,c\n1\n1,2,3,4\n", want: "     1\ta\tb\tc\n     2\t1\n     3\t1\t2\t3\t4\n", note: "4 columns separated by commas"},
		"blank lines":       {in: "a,b\n\n\n1,2\n", want: "     1\ta\tb\n     4\t1\t2\n", note: "2 columns separated by commas"},
		"CRLF":              {in: "a,b\r\n1,2\r\n", want: "     1\ta\tb\n     2\t1\t2\n", note: "2 columns separated by commas"},
		"no final newline":  {in: "a,b\n1,2", want: "     1\ta\tb\n     2\t1\t2\n", note: "2 columns separated by commas"},
		"empty":             {in: "", want: "", note: "0 columns separated by commas"},
		"a part":            {in: "h,i\n1,a\n2,b\n3,c\n", rg: Range{First: 3, Count: 1}, want: "     1\th\ti\n     3\t2\tb\n", note: "2 columns separated by commas", next: 4},
		"bytes":             {in: "h,i\n1,a\n2,b\n3,c\n", rg: Range{Bytes: 25}, want: "     1\th\ti\n     2\t1\ta\n", note: "2 columns separated by commas", next: 3},
		"bad bytes":         {in: "a,\xff\n", want: "     1\ta\t\uFFFD\n", note: "2 columns separated by commas"},
		"open quote":        {in: "a,\"b\n" + strings.Repeat("1,2\n", 200), err: ErrNoTable},
		"a huge record":     {in: "a,\"" + strings.Repeat("x", maxRecord+9000) + "\"\n", err: ErrNoTable},
		"old Mac line ends": {in: "a,b\rc,d\r", err: ErrNoTable},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := Table(t.Context(), strings.NewReader(tt.in), tt.tabs, tt.rg)
			if !errors.Is(err, tt.err) {
				t.Fatalf("got %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			if d := cmp.Diff(tt.want, x.Text); d != "" || x.Note != tt.note || x.Next != tt.next {
				t.Errorf("%s note %q, next %d", d, x.Note, x.Next)
			}
		})
	}
}

func TestNotebook(t *testing.T) {
	const dot = "iVBORw0KGgo="
	for name, tt := range map[string]struct {
		in     string
		rg     Range
		want   string
		images int
		next   int
		err    string
	}{
		"format 4": {
			in: `{"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}}, "cells": [
			{"cell_type": "markdown", "source": ["# Title\n", "text"], "attachments": {"a.png": {"image/png": "x"}}},
			{"cell_type": "code", "execution_count": 3, "source": "print(1)", "outputs": [
				{"output_type": "stream", "name": "stdout", "text": ["1\n"]},
				{"output_type": "execute_result", "data": {"text/plain": "2", "text/html": "<b>2</b>"}},
				{"output_type": "display_data", "data": {"image/png": "` + dot + `\n", "text/plain": ["<Figure>"]}},
				{"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["\u001b[0;31mValueError\u001b[0m: no"]}]},
			{"cell_type": "raw", "source": ""}]}`,
			want: "Notebook with 3 cells, python (format 4.5)\n--- cell 1, markdown ---\n# Title\ntext\n(attached: a.png)\n" +
				"--- cell 2, code [3] ---\nprint(1)\n→ stdout:\n1\n→ execute_result:\n2\n→ display_data (image/png, text/plain):\n<Figure>\n→ error ValueError: no\nValueError: no\n" +
				"--- cell 3, raw ---\n", images: 1,
		},
		"format 3": {
			in: `{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "T"},
			{"cell_type": "code", "prompt_number": 1, "input": ["1+1"], "outputs": [{"output_type": "pyout", "text": "2", "png": "` + dot + `"}, {"output_type": "stream", "stream": "stderr", "text": "w"}]}]}]}`,
			want: "Notebook with 2 cells (format 3.0)\n--- cell 1, heading of level 2 ---\nT\n--- cell 2, code [1] ---\n1+1\n→ pyout (image/png, text/plain):\n2\n→ stderr:\nw\n", images: 1,
		},
		"format 5":       {in: `{"nbformat": 5, "cells": []}`, want: "Notebook with 0 cells (format 5.0)\n"},
		"a part":         {in: `{"nbformat": 4, "cells": [{"cell_type": "raw", "source": "a"}, {"cell_type": "raw", "source": "b"}, {"cell_type": "raw", "source": "c"}]}`, rg: Range{First: 2, Count: 1}, want: "Notebook with 3 cells (format 4.0)\n--- cell 2, raw ---\nb\n", next: 3},
		"JSON output":    {in: `{"nbformat": 4, "cells": [{"cell_type": "code", "outputs": [{"output_type": "display_data", "data": {"application/json": {"a": 1}}}]}]}`, want: "Notebook with 1 cell (format 4.0)\n--- cell 1, code ---\n→ display_data:\n{\"a\": 1}\n"},
		"bad base64":     {in: `{"nbformat": 4, "cells": [{"cell_type": "code", "outputs": [{"output_type": "display_data", "data": {"image/png": "%%"}}]}]}`, want: "Notebook with 1 cell (format 4.0)\n--- cell 1, code ---\n→ display_data (image/png):\n"},
		"format 2":       {in: `{"nbformat": 2, "worksheets": []}`, err: "notebook format 2; 3 to 5 can be read"},
		"no notebook":    {in: `{"a": 1}`, err: "it has no nbformat"},
		"cut off":        {in: `{"nbformat": 4, "cells": [{"cell_ty`, err: "damaged"},
		"of other shape": {in: `{"nbformat": 4, "cells": {"a": 1}}`, err: "damaged"},
		"empty":          {in: ``, err: "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := Notebook(t.Context(), []byte(tt.in), tt.rg)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, x.Text); d != "" || len(x.Images) != tt.images || x.Next != tt.next {
				t.Errorf("%s %d images, next %d", d, len(x.Images), x.Next)
			}
		})
	}
}

// Long outputs are cut in their middle, pictures end after some.
func TestNotebookBounds(t *testing.T) {
	var cells []string
	for range 10 {
		cells = append(cells, `{"cell_type": "code", "outputs": [{"output_type": "stream", "name": "stdout", "text": "`+strings.Repeat("x", 100_000)+`"}, {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}}]}`)
	}
	x, err := Notebook(t.Context(), fmt.Appendf(nil, `{"nbformat": 4, "cells": [%s]}`, strings.Join(cells, ",")), Range{})
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Images) != maxImages || x.Shown != 10 || len(x.Text) > 10*(maxOutput+500) || !strings.Contains(x.Text, "bytes left out") {
		t.Errorf("%d pictures, %d cells, %d bytes", len(x.Images), x.Shown, len(x.Text))
	}
}
