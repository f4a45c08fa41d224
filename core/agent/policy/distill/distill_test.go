package distill

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// many repeats a line with its number.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

func issues(n int) string {
	var list []map[string]any
	for i := range n {
		o := map[string]any{"id": i, "title": fmt.Sprintf("Issue %d", i), "body": strings.Repeat("words ", 10)}
		if i%2 == 0 {
			o["labels"] = []string{"bug"}
		}
		list = append(list, o)
	}
	b, _ := json.Marshal(map[string]any{"total": n, "items": list})
	return string(b)
}

func TestText(t *testing.T) {
	longest := strings.Repeat("é", 1000)
	for name, tt := range map[string]struct {
		text string
		how  string
		has  []string
		not  []string
		most int
	}{
		"a JSON list": {
			issues(300), "JSON", []string{`"total":300`, "Issue 0", "Issue 4", "Issue 298", "Issue 299", "293 of 300 elements left out; fields: body, id, labels (in 150), title"}, []string{"Issue 5\"", "Issue 200"}, 2000,
		},
		"long texts in JSON": {`{"a":"` + longest + `","n":123456789012345678901}`, "JSON", []string{"é… (1800 bytes more)", "123456789012345678901"}, nil, 600},
		"deep JSON":          {strings.Repeat(`{"a":[`, 40) + `"` + longest + `"` + strings.Repeat("]}", 40), "JSON", []string{"(an object of 1 fields)"}, []string{"é"}, 200},
		"many fields":        {`{"k0":0` + strings.ReplaceAll(many(400, `,"key%03d":"value"`), "\n", "") + `}`, "JSON", []string{"341 of 401 fields left out"}, nil, 2000},
		"records": {
			many(200, `{"level":"info","n":%d}`), "records", []string{`"n":0`, `"n":199`, "193 of 200 records left out; fields: level, n"}, []string{`"n":100`}, 400,
		},
		"a page": {
			"<!DOCTYPE html><html><head><title>Prices &amp; more</title><script>var x = '<p>no</p>'" + strings.Repeat(";", 3000) + "</script><style>p{}</style></head><body><h2>Fruit</h2><ul><li>Apple <b>2</b></li></ul>" +
				`<p>See <a href="https://example.org/x">the list</a>.<svg><path d="M0"/></svg><img alt="a pear"></p></body></html>`,
			"markup",
			[]string{"# Prices & more", "## Fruit", "- Apple 2", "the list (https://example.org/x)", "(image: a pear)"},
			[]string{"var x", "p{}", "M0", "<"},
			200,
		},
		"a CSV": {
			"id,name,size\n" + many(500, "%d,file,12"), "table", []string{"id,name,size\n0,file,12\n", "499,file,12", "484 of 501 lines left out, all of 3 cells"}, []string{"300,file"}, 600,
		},
		"a log": {
			many(50, "2024-05-01 10:00:%02d INFO request %[1]d served") + "2024-05-01 10:01:00 INFO opening /etc/app.conf\n2024-05-01 10:01:01 ERROR cannot open: denied\n" + many(400, "2024-05-01 10:02:00 INFO request %d served"),
			"form",
			[]string{"request 0 served  (×450)", "opening /etc/app.conf\n2024-05-01 10:01:01 ERROR cannot open: denied\n", "request 399 served", "lines of forms shown elsewhere"},
			[]string{"request 200 served"},
			2500,
		},
		"repeated lines": {
			strings.Repeat("downloading the same package again\n", 200) + "done\n\n\n\nok", "repeated", []string{"downloading the same package again  (×200)", "done\n\nok"}, nil, 100,
		},
		"repeated short lines": {"start\n" + strings.Repeat(".\n", 400) + "end of it all", "repeated", []string{".\n… (the line above 399 more times)\nend of it all"}, nil, 100},
		"prose":                {many(300, "Sentence number %d says something else."), "", nil, nil, 1 << 20},
		"code":                 {"func main() {\n" + many(200, "\tx%d := y") + "}\n", "", nil, nil, 1 << 20},
		"broken JSON":          {`[{"a":1},` + strings.Repeat("x", 2000), "", nil, nil, 1 << 20},
		"an open svg":          {"<html><svg>" + strings.Repeat("<p>text that must stay</p>", 100), "", nil, nil, 1 << 20},
		"empty":                {"", "", nil, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			short, how := Text(tt.text)
			if !strings.Contains(how, tt.how) || (tt.how == "") != (how == "") || len(short) > tt.most || how == "" && short != tt.text {
				t.Fatalf("%d bytes of %d, %q: %.300s", len(short), len(tt.text), how, short)
			}
			for _, part := range tt.has {
				if !strings.Contains(short, part) {
					t.Errorf("%q is missing in\n%s", part, short)
				}
			}
			for _, part := range tt.not {
				if strings.Contains(short, part) {
					t.Errorf("%q is in\n%s", part, short)
				}
			}
			if again, _ := Text(tt.text); again != short {
				t.Error("the same text became another")
			}
		})
	}
}

// Whatever comes is shortened or stays; it never grows and is always text.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		issues(20), many(60, `{"n":%d}`), "<html><p>x<script>y", many(50, "a,b,%d"), many(50, "10:00:00 ERROR %d"), strings.Repeat("a repeated line\n", 50),
		"\xff\xfe[1,2]", "[[[[[[", "{\"a\":" + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", "<!doctype html>\x00<a href=\xff>x</a>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		short, how := Text(text)
		switch {
		case len(short) > len(text):
			t.Errorf("it grew from %d to %d bytes (%s)", len(text), len(short), how)
		case how == "" && short != text:
			t.Error("it changed and does not say how")
		case how != "" && !utf8.ValidString(short):
			t.Errorf("not UTF-8 (%s)", how)
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{"json": issues(8000), "log": many(16_000, "2024-05-01 10:00:00 INFO request %d served in a while"), "prose": many(20_000, "Sentence number %d says something else.")} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Text(text)
			}
		})
	}
}
