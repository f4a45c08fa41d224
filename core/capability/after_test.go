package capability

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestRunLimits(t *testing.T) {
	text := strings.Repeat("é", 40_000) // 80,000 bytes, no boundary at an odd one
	for name, tt := range map[string]struct {
		limits Limits
		result Result
		save   func() (string, error)
		most   int
		part   string
	}{
		"short":         {result: Result{Text: "é"}, most: 2, part: "é"},
		"no save":       {result: Result{Text: text}, most: 50_100, part: "bytes left out"},
		"saved":         {result: Result{Text: text}, save: func() (string, error) { return "/s/outputs/1.txt", nil }, most: 50_200, part: "(whole output: /s/outputs/1.txt)"},
		"save fails":    {result: Result{Text: text}, save: func() (string, error) { return "", os.ErrPermission }, most: 50_200, part: "(the whole output could not be saved)"},
		"hard":          {limits: Limits{Inline: 1 << 20}, result: Result{Text: text}, most: 64 << 10, part: "bytes left out"},
		"small":         {limits: Limits{Inline: 101}, result: Result{Text: text}, most: 101 + cutNote, part: "bytes left out"},
		"not UTF-8":     {result: Result{Text: "a\xff"}, most: 4, part: "a\ufffd"},
		"framed, saved": {limits: Limits{Inline: 1 << 20}, result: Result{Text: text, Untrusted: true}, save: func() (string, error) { return "/x", nil }, most: 64 << 10, part: "</untrusted id="},
	} {
		t.Run(name, func(t *testing.T) {
			quiet(t)
			r := newRunner(t, tool("act", ReadOnly, func(context.Context, Call) (Result, error) { return tt.result, nil }))
			r.Limits = tt.limits
			saved := ""
			if tt.save != nil {
				r.Save = func(_ context.Context, _ Call, text string) (string, error) { saved = text; return tt.save() }
			}
			o := r.Run(t.Context(), request("act", "{}"))
			got := o.Result.Text
			if len(got) > tt.most || !strings.Contains(got, tt.part) || strings.ToValidUTF8(got, "") != got || tt.result.Text == text && strings.Contains(got, "\ufffd") {
				t.Errorf("%d bytes of at most %d, or %q is missing, or a rune is cut: …%q", len(got), tt.most, tt.part, got[max(0, len(got)-80):])
			}
			if tt.save != nil && !strings.Contains(saved, text) {
				t.Errorf("%d bytes were saved, not the whole", len(saved))
			}
			if want := strings.Contains(tt.part, "whole output:") || name == "framed, saved"; (o.SavedAs != "") != want {
				t.Errorf("saved as %q", o.SavedAs)
			}
		})
	}
}

func TestRunLimitsData(t *testing.T) {
	quiet(t)
	big := json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)
	r := newRunner(t, tool("act", ReadOnly, func(context.Context, Call) (Result, error) {
		return Result{Text: "ok", Data: big, Diff: strings.Repeat("+x\n", 1<<20)}, nil
	}))
	o := r.Run(t.Context(), request("act", "{}"))
	if o.Result.Data != nil || len(o.Result.Diff) > 1<<20 || o.Result.Text != "ok" {
		t.Errorf("%d bytes of data, %d of diff", len(o.Result.Data), len(o.Result.Diff))
	}
}
