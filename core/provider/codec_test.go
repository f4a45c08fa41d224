package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

func allParts() []provider.Part {
	return []provider.Part{
		provider.Text{Text: "a\u2028<b>"},
		provider.Image{MIME: "image/png", Data: png},
		provider.Reasoning{Text: "t", ID: "i", Signature: "s", Encrypted: "e", Provider: "p"},
		provider.ToolCall{ID: "1", Name: "n", Args: `{"broken`, ItemID: "fc", Signature: "s"},
		provider.ToolResult{CallID: "1", Name: "n", Text: "r", Images: []provider.Image{{MIME: "image/png", Data: png}}, Failed: true},
	}
}

func TestPartsAreStored(t *testing.T) {
	raw, err := provider.MarshalParts(allParts())
	if err != nil {
		t.Fatal(err)
	}
	got, err := provider.UnmarshalParts(raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(allParts(), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, bad := range []string{``, `{}`, `[{"type":"video","data":{}}]`, `[{"type":"text","data":7}]`, `[{"type":"text"}]`} {
		if got, err := provider.UnmarshalParts([]byte(bad)); err == nil {
			t.Errorf("%s gave %v", bad, got)
		}
	}
}

func FuzzUnmarshalParts(f *testing.F) {
	raw, err := provider.MarshalParts(allParts())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`[{"type":"tool_result","data":{"images":[{}]}}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		parts, err := provider.UnmarshalParts(raw)
		if err != nil {
			return
		}
		again, err := provider.MarshalParts(parts)
		if err != nil {
			t.Fatal(err)
		}
		back, err := provider.UnmarshalParts(again)
		if diff := cmp.Diff(parts, back); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
	})
}
