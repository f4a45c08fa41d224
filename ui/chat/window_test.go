package chat

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/ui/say"
)

func TestRequest(t *testing.T) {
	picture := Attached{Name: "a.png", Image: provider.Image{MIME: "image/png"}}
	for name, tt := range map[string]struct {
		w    Window
		text string
		want control.SendRequest
		ok   bool
	}{
		"a new conversation": {
			Window{Mode: "plan", Model: "p/m", Workspace: "/w"},
			" hi ",
			control.SendRequest{Text: "hi", Mode: "plan", Model: "p/m", Workspace: "/w", Channel: "desktop", Attended: true, Locale: "de"},
			true,
		},
		"one that is open keeps its own": {
			Window{Mode: "plan", Session: control.Session{ID: "s"}},
			"hi",
			control.SendRequest{Session: "s", Text: "hi", Channel: "desktop", Attended: true, Locale: "de"},
			true,
		},
		"only a picture": {
			Window{Images: []Attached{picture}},
			"",
			control.SendRequest{Images: []provider.Image{picture.Image}, Channel: "desktop", Attended: true, Locale: "de"},
			true,
		},
		"nothing":               {Window{}, " \n", control.SendRequest{}, false},
		"while one is sent off": {Window{Sending: true}, "hi", control.SendRequest{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := tt.w.Request(tt.text, "de")
			if d := cmp.Diff(tt.want, got); d != "" || ok != tt.ok {
				t.Errorf("ok = %v, want %v; (-want +got):\n%s", ok, tt.ok, d)
			}
		})
	}
}

func TestSent(t *testing.T) {
	w := Window{Images: []Attached{{}}}
	w.Request("hi", "")
	w.Sent(&control.Error{Message: "the disk is full", Try: "make room"})
	if w.Problem.Args["Text"] != "The disk is full" || w.Try != "make room" || len(w.Images) != 1 {
		t.Errorf("after a failure: %+v", w)
	}
	if _, ok := w.Request("hi", ""); !ok || !w.Problem.IsZero() {
		t.Error("cannot be sent again")
	}
	if w.Sent(nil); len(w.Images) != 0 || w.Sending {
		t.Errorf("after it went: %+v", w)
	}
}

func TestWindowWords(t *testing.T) {
	w := Window{
		Home: "/home/x", Info: control.Info{Workspace: "/home/x/Documents", Sandbox: "standard", Model: "p/main", ModelName: "Main", Mode: "ask"},
		Models: []control.Model{{ID: "p/main", Title: "Main model", Window: 1000}, {ID: "p/other", Title: "Other"}},
	}
	m := &Model{Context: 123, Cost: 0.041}
	got := map[string]say.Phrase{
		"place": w.Place(), "context": w.ContextUse(m), "cost": CostShown(m), "mode": ModeName(w.CurrentMode()), "model": say.Raw(w.ModelName()),
	}
	want := map[string]say.Phrase{
		"place": say.P("{{.Dir}} · standard sandbox", "Dir", "~/Documents"), "context": say.P("context {{.N}} %", "N", 12),
		"cost": say.P("${{.N}}", "N", say.Number("0.04")), "mode": say.P("Ask first"), "model": say.Raw("Main model"),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	w.Session = control.Session{ID: "s", Model: "p/unknown", Mode: "auto", Workspace: "/srv"}
	w.Info.Sandbox = "open"
	m = &Model{Context: 2345}
	got = map[string]say.Phrase{
		"place": w.Place(), "context": w.ContextUse(m), "cost": CostShown(m), "mode": ModeName(w.CurrentMode()), "model": say.Raw(w.ModelName()),
	}
	want = map[string]say.Phrase{
		"place": say.P("{{.Dir}} · no sandbox", "Dir", "/srv"), "context": say.P("context {{.N}}k tokens", "N", say.Number("2.3")),
		"cost": {}, "mode": say.P("Auto"), "model": say.Raw("unknown"),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("of a session (-want +got):\n%s", d)
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[string]string{"/home/x": "~", "/home/x/a": "~/a", "/home/xy": "/home/xy", "/srv": "/srv", "": ""} {
		if got := Short(in, "/home/x"); got != want {
			t.Errorf("Short(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestStatus(t *testing.T) {
	w := Window{Offline: true}
	if s, p := w.Status(&Model{}); s != control.StateError || p.IsZero() {
		t.Errorf("without a core: %s %q", s, p.Key)
	}
	w = Window{Info: control.Info{State: control.StateSetup}}
	if s, _ := w.Status(&Model{}); s != control.StateSetup {
		t.Errorf("without a model: %s", s)
	}
}

func TestLoadImage(t *testing.T) {
	dir := t.TempDir()
	var pic bytes.Buffer
	if err := png.Encode(&pic, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"a.png": pic.Bytes(), "wrong.png": []byte("text"), "no ending": pic.Bytes(), "large.png": make([]byte, maxImage+1)}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"a.png": "", "no ending": "", "wrong.png": "Only PNG, JPEG, WebP and GIF pictures can be sent along",
		"large.png": "{{.Name}} is larger than {{.N}} MB", "gone.png": "{{.Name}} cannot be read", ".": "{{.Name}} is not a file",
	} {
		a, err := LoadImage(filepath.Join(dir, name))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: error %q, want %q", name, got, want)
		}
		if want == "" && (a.Name != name || a.Image.MIME != "image/png" || !bytes.Equal(a.Image.Data, pic.Bytes())) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestAttach(t *testing.T) {
	var w Window
	for range mostImages + 1 {
		w.Attach(Attached{}, nil)
	}
	if len(w.Images) != mostImages || w.Problem.IsZero() {
		t.Errorf("%d pictures, problem %q", len(w.Images), w.Problem.Key)
	}
	w.Detach(0)
	w.Detach(99)
	if len(w.Images) != mostImages-1 {
		t.Errorf("%d pictures after one was taken out", len(w.Images))
	}
	if w.Attach(Attached{}, errors.New("gone")); len(w.Images) != mostImages-1 {
		t.Error("a failed one was taken in")
	}
}

func TestPastedFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []string
	}{
		"a path":         {"/a/b.png", []string{"/a/b.png"}},
		"addresses":      {"file:///a/b%20c.png\r\nfile:///d.png\n", []string{"/a/b c.png", "/d.png"}},
		"a file manager": {"x-special/nautilus-clipboard\ncopy\nfile:///a.png", []string{"/a.png"}},
		"text":           {"hello /a", nil},
		"mixed":          {"/a\nhello", nil},
		"nothing":        {"", nil},
		"bad escape":     {"file:///a%zz", nil},
	} {
		if d := cmp.Diff(tt.want, PastedFiles(tt.in)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func FuzzPastedFiles(f *testing.F) {
	f.Add("file:///a%20b")
	f.Add("/a\n/b")
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range PastedFiles(s) {
			if !filepath.IsAbs(p) {
				t.Errorf("PastedFiles(%q) gives %q, which is not absolute", s, p)
			}
		}
	})
}
