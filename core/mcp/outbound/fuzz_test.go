package outbound

import (
	"encoding/json"
	"testing"
)

func FuzzListing(f *testing.F) {
	for _, s := range []string{`{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`, `{"tools":[5,{"name":null}]}`, `{"tools":{}}`, `[]`, `{"tools":[{"name":"a","inputSchema":[]}],"nextCursor":"x"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		l := &listing{}
		if out := l.read(page); json.Valid(page) && !json.Valid(out) {
			t.Errorf("%q became %q", page, out)
		}
		for _, tool := range l.tools {
			if err := tool.check(); err != nil || !json.Valid(tool.schema()) || tool.Fingerprint() == "" {
				t.Errorf("%+v was taken: %v", tool, err)
			}
			toolName("server", tool.Name)
		}
	})
}

func FuzzFields(f *testing.F) {
	for _, s := range []string{`{"properties":{"a":{"type":"string","default":"x"}},"required":["a"]}`, `{"properties":{"a":{"type":"array","items":{"enum":["b"]}}}}`, `{"properties":{"a":{"oneOf":[{"const":"b","title":"B"}]}}}`} {
		f.Add([]byte(s), "x")
	}
	f.Fuzz(func(t *testing.T, schema []byte, answer string) {
		fields, err := Elicitation{Schema: schema}.Fields()
		if err != nil {
			return
		}
		for _, field := range fields {
			if len(field.Options) != len(field.Titles) {
				t.Errorf("%+v", field)
			}
			if v, ok, err := field.Value([]string{answer}); err == nil && ok && v == nil {
				t.Errorf("%+v took %q for nothing", field, answer)
			}
		}
	})
}

func FuzzErrors(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","error":{"code":1}}`))
	f.Add([]byte("<html>"))
	f.Add([]byte("a\x1b[31m\u202e\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		isError(raw)
		for _, r := range line(raw) {
			if r < ' ' || r == '\u202e' {
				t.Errorf("%q holds %q", line(raw), r)
			}
		}
	})
}
