package media

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/capability/capabilitytest"
	"github.com/hobkin/hobkin/core/imagegen"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/tools/file"
)

func pngOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// service plays a server that is compatible with OpenAI. A prompt with "refuse"
// is declined.
func service(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Prompt string }
		if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			in.Prompt = r.FormValue("prompt")
		} else {
			_ = json.NewDecoder(r.Body).Decode(&in)
		}
		if strings.Contains(in.Prompt, "refuse") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"message":"Rejected by the safety system."}}`))
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"b64_json":"` + base64.StdEncoding.EncodeToString(pngOf(t, 4, 3)) + `"}]}`))
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// newHost works in dir, behind the real policy; pictures are saved in dir/media.
func newHost(t *testing.T, dir, kind, base string) *Host {
	t.Helper()
	policy, err := sandbox.New(sandbox.Config{Mode: sandbox.Strict, Home: t.TempDir(), Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{Files: &file.Host{Paths: policy}}
	h.Save = func(_ context.Context, call capability.Call, name string, data []byte) (string, error) {
		path := filepath.Join(dir, "media", call.ID+filepath.Ext(name))
		return path, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600))
	}
	if kind != "" {
		h.Maker = func() (*imagegen.Maker, error) {
			return imagegen.Open(kind, imagegen.Options{Client: &http.Client{Transport: route{base}}, Key: func(context.Context) (string, error) { return "k", nil }})
		}
	}
	return h
}

// A route leads every request to one server.
type route struct{ base string }

func (r route) RoundTrip(req *http.Request) (*http.Response, error) {
	there := req.Clone(req.Context())
	there.URL.Scheme, there.URL.Host = "http", strings.TrimPrefix(r.base, "http://")
	return http.DefaultTransport.RoundTrip(there)
}

func TestTools(t *testing.T) {
	capabilitytest.Contract(t, Tools.Bind(nil))
	capabilitytest.Scripts(t, func(t *testing.T, dir string) []capability.Capability {
		t.Helper()
		if t.Name() == "TestTools/generate_image" {
			return Tools.Bind(newHost(t, dir, "openai", service(t)))
		}
		return Tools.Bind(newHost(t, dir, "", ""))
	})
}

func run(t *testing.T, h *Host, dir, tool, args string) *capability.Outcome {
	t.Helper()
	r := capability.Runner{Registry: &capability.Registry{}}
	r.Approve = func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil }
	if err := r.Registry.RegisterAll(Tools.Bind(h)...); err != nil {
		t.Fatal(err)
	}
	return r.Run(t.Context(), capability.Request{ID: "1", Name: tool, Args: []byte(args), Filter: capability.Filter{
		Turn: capability.Turn{Session: "s", ID: "t", Workspace: dir, Trust: capability.Operator, Attended: true},
	}})
}

func TestViewLarge(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"wide.png": pngOf(t, 3136, 10), "lies.txt": pngOf(t, 1, 1), "broken.png": pngOf(t, 90, 90)[:80], "heavy.png": append(pngOf(t, 2, 2), make([]byte, mostBytes)...),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := newHost(t, dir, "", "")
	o := run(t, h, dir, "view_image", `{"paths": ["wide.png", "lies.txt", "broken.png", "heavy.png"]}`)
	if o.Failed() || len(o.Result.Images) != 2 || o.Result.Summary != "2 of 4 shown" {
		t.Fatalf("got %d images, %v\n%s", len(o.Result.Images), o.Err, o.Result.Text)
	}
	for _, want := range []string{"3136×10, shown at 1568×5", "3. broken.png: not shown (not_a_picture)", "4. heavy.png: not shown (too_big)"} {
		if !strings.Contains(o.Result.Text, want) {
			t.Errorf("the result lacks %q:\n%s", want, o.Result.Text)
		}
	}
	if strings.Contains(o.Result.Text, "PNG\r") || len(o.Result.Text) > 2000 {
		t.Error("bytes of pictures are in the text")
	}
}

// A service that cannot do something says so; no other takes its place.
func TestNoSilentFallback(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.png", "mask.png"} {
		if err := os.WriteFile(filepath.Join(dir, name), pngOf(t, 2, 2), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit := `{"operation": "edit", "prompt": "blue", "input_image": "a.png", "mask": "mask.png"}`
	for kind, code := range map[string]string{"xai": "refused", "google": "refused", "": "not_set_up", "midjourney": "not_set_up"} {
		o := run(t, newHost(t, dir, kind, service(t)), dir, "generate_image", edit)
		if u, ok := capability.AsUserError(o.Err); !ok || u.Code != code {
			t.Errorf("%s: got %v", kind, o.Err)
		}
	}
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }))
	defer down.Close()
	o := run(t, newHost(t, dir, "openai", down.URL), dir, "generate_image", `{"prompt": "a fox"}`)
	if u, ok := capability.AsUserError(o.Err); !ok || u.Code != "service_failed" {
		t.Errorf("got %v", o.Err)
	}
}
