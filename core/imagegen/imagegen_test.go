package imagegen

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/webapi"
)

const imageKey = "sk-image-0123456789"

func pngOf(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// asked is a request as a service sees it.
type asked struct {
	path   string
	header http.Header
	body   map[string]any    // of JSON
	files  map[string][]byte // of a form
	fields map[string]string
}

// serve plays a service that answers with a status and a body.
func serve(t *testing.T, kind string, status int, answer string) (*Maker, *asked) {
	t.Helper()
	got := &asked{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*got = asked{path: r.URL.Path, header: r.Header, files: map[string][]byte{}, fields: map[string]string{}}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			got.form(t, r)
		} else if r.Method == http.MethodPost {
			_ = json.NewDecoder(r.Body).Decode(&got.body)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(answer, "$SITE", "http://"+r.Host))
	}))
	t.Cleanup(srv.Close)
	m, err := Open(kind, Options{Client: srv.Client(), BaseURL: srv.URL, Key: func(context.Context) (string, error) { return imageKey, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return m, got
}

func (a *asked) form(t *testing.T, r *http.Request) {
	t.Helper()
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		t.Error(err)
		return
	}
	for k, v := range r.MultipartForm.Value {
		a.fields[k] = v[0]
	}
	for k, v := range r.MultipartForm.File {
		a.files[k] = contents(t, v[0])
	}
}

func contents(t *testing.T, h *multipart.FileHeader) []byte {
	t.Helper()
	f, err := h.Open()
	if err != nil {
		t.Error(err)
		return nil
	}
	defer func() { _ = f.Close() }()
	data, _ := io.ReadAll(f)
	return data
}

func (a *asked) text(t *testing.T) string {
	t.Helper()
	raw, err := json.Marshal(a.body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestMake(t *testing.T) {
	made := pngOf(t, 3, 2)
	b64 := base64.StdEncoding.EncodeToString(made)
	cases := map[string]struct {
		kind, answer, path, auth string
		order                    Order
		body                     []string
	}{
		"openai": {
			"openai", `{"created":1,"data":[{"b64_json":"` + b64 + `"}],"usage":{"total_tokens":100}}`, "/images/generations", "Authorization: Bearer " + imageKey,
			Order{Prompt: "a fox", Size: SizeLandscape},
			[]string{`"model":"gpt-image-1"`, `"prompt":"a fox"`, `"size":"1536x1024"`, `"n":1`},
		},
		"compatible, with a data URL": {
			"openai", `{"data":[{"b64_json":"data:image/png;base64,` + b64 + `","revised_prompt":"a red fox"}]}`, "/images/generations", "Authorization: Bearer " + imageKey,
			Order{Prompt: "a fox", Model: "flux"},
			[]string{`"model":"flux"`},
		},
		"xai": {
			"xai", `{"data":[{"b64_json":"` + b64 + `","revised_prompt":""}]}`, "/images/generations", "Authorization: Bearer " + imageKey,
			Order{Prompt: "a fox", Size: SizePortrait},
			[]string{`"aspect_ratio":"2:3"`, `"response_format":"b64_json"`},
		},
		"xai, change": {
			"xai", `{"data":[{"b64_json":"` + b64 + `"}]}`, "/images/edits", "Authorization: Bearer " + imageKey,
			Order{Prompt: "make it blue", Image: made},
			[]string{`"type":"image_url"`, `"url":"data:image/png;base64,` + b64},
		},
		"google": {
			"google", `{"candidates":[{"content":{"parts":[{"text":"Here it is."},{"inlineData":{"mimeType":"image/png","data":"` + b64 + `"}}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{}}`,
			"/models/gemini-2.5-flash-image:generateContent", "X-Goog-Api-Key: " + imageKey,
			Order{Prompt: "a fox", Size: SizeSquare},
			[]string{`"aspectRatio":"1:1"`, `"responseModalities":["TEXT","IMAGE"]`, `"text":"a fox"`},
		},
		"google, change": {
			"google", `{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"` + b64 + `"}}]},"finishReason":"STOP"}]}`,
			"/models/gemini-2.5-flash-image:generateContent", "X-Goog-Api-Key: " + imageKey,
			Order{Prompt: "make it blue", Image: made},
			[]string{`"mimeType":"image/png"`, `"data":"` + b64},
		},
	}
	for name, c := range cases {
		m, got := serve(t, c.kind, 200, c.answer)
		p, err := m.Make(t.Context(), c.order)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(p.Data, made) || p.MIME != "image/png" || got.path != c.path {
			t.Errorf("%s: got %s of %d bytes from %s", name, p.MIME, len(p.Data), got.path)
		}
		if h, v, _ := strings.Cut(c.auth, ": "); got.header.Get(h) != v {
			t.Errorf("%s: the key is sent as %v", name, got.header)
		}
		for _, want := range c.body {
			if !strings.Contains(got.text(t), want) {
				t.Errorf("%s: the request lacks %s: %s", name, want, got.text(t))
			}
		}
	}
}

func TestOpenAIEdit(t *testing.T) {
	picture, mask := pngOf(t, 3, 2), pngOf(t, 3, 3)
	m, got := serve(t, "openai", 200, `{"data":[{"b64_json":"`+base64.StdEncoding.EncodeToString(picture)+`"}]}`)
	if _, err := m.Make(t.Context(), Order{Prompt: "make it blue", Image: picture, Mask: mask, Size: SizeSquare}); err != nil {
		t.Fatal(err)
	}
	if got.path != "/images/edits" || !bytes.Equal(got.files["image"], picture) || !bytes.Equal(got.files["mask"], mask) ||
		got.fields["prompt"] != "make it blue" || got.fields["size"] != SizeSquare || got.fields["model"] != "gpt-image-1" {
		t.Errorf("got %s, fields %v", got.path, got.fields)
	}
}

// An answer that only links to the picture is followed, without the key.
func TestLinkedPicture(t *testing.T) {
	made := pngOf(t, 5, 5)
	leaked := ""
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked = r.Header.Get("Authorization")
		_, _ = w.Write(made)
	}))
	defer files.Close()
	m, _ := serve(t, "openai", 200, `{"data":[{"url":"`+files.URL+`/x.png?sig=1"}]}`)
	p, err := m.Make(t.Context(), Order{Prompt: "a fox"})
	if err != nil || !bytes.Equal(p.Data, made) || leaked != "" {
		t.Errorf("got %v, %v; the key that was sent along: %q", p, err, leaked)
	}
	for _, link := range []string{"file:///etc/passwd", "", "://"} {
		m, _ = serve(t, "openai", 200, `{"data":[{"url":"`+link+`"}]}`)
		if _, err := m.Make(t.Context(), Order{Prompt: "a fox"}); err == nil {
			t.Errorf("%q was followed", link)
		}
	}
}

func TestMakeFails(t *testing.T) {
	picture := pngOf(t, 3, 2)
	cases := map[string]struct {
		kind   string
		status int
		answer string
		order  Order
		want   webapi.Kind
		says   string
	}{
		"key":              {"openai", 401, `{"error":{"message":"Incorrect API key provided: ` + imageKey + `"}}`, Order{}, webapi.KindKey, "its key was not accepted"},
		"not allowed":      {"openai", 400, `{"error":{"message":"Your request was rejected by the safety system.","code":"moderation_blocked"}}`, Order{}, webapi.KindRequest, "rejected by the safety system"},
		"limit":            {"xai", 429, `{"code":"x","error":"Too many requests"}`, Order{}, webapi.KindRate, "Too many requests"},
		"down":             {"google", 503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, Order{}, webapi.KindDown, "overloaded"},
		"no picture":       {"openai", 200, `{"data":[]}`, Order{}, webapi.KindAnswer, "no picture"},
		"no JSON":          {"xai", 200, `<html>`, Order{}, webapi.KindAnswer, "no picture"},
		"no base64":        {"openai", 200, `{"data":[{"b64_json":"%%%"}]}`, Order{}, webapi.KindAnswer, "no picture"},
		"not a picture":    {"openai", 200, `{"data":[{"b64_json":"aGVsbG8="}]}`, Order{}, webapi.KindAnswer, "no picture that can be shown"},
		"blocked prompt":   {"google", 200, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, Order{}, webapi.KindRequest, "PROHIBITED_CONTENT"},
		"blocked picture":  {"google", 200, `{"candidates":[{"finishReason":"IMAGE_SAFETY","finishMessage":"Unable to show"}]}`, Order{}, webapi.KindRequest, "IMAGE_SAFETY"},
		"words":            {"google", 200, `{"candidates":[{"content":{"parts":[{"text":"I cannot draw."}]},"finishReason":"STOP"}]}`, Order{}, webapi.KindAnswer, "I cannot draw."},
		"mask at xAI":      {"xai", 200, ``, Order{Image: picture, Mask: picture}, webapi.KindRequest, "takes no mask"},
		"mask at Google":   {"google", 200, ``, Order{Image: picture, Mask: picture}, webapi.KindRequest, "takes no mask"},
		"nothing anywhere": {"google", 200, `{}`, Order{}, webapi.KindAnswer, "no picture"},
	}
	for name, c := range cases {
		m, _ := serve(t, c.kind, c.status, c.answer)
		c.order.Prompt = "a fox"
		_, err := m.Make(t.Context(), c.order)
		f, ok := errors.AsType[*Error](err)
		if !ok || f.Kind != c.want || !strings.Contains(f.Message, c.says) || strings.Contains(f.Error(), imageKey) || f.Service == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	m, err := Open("openai", Options{Client: http.DefaultClient})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Make(t.Context(), Order{Prompt: "x"}); err == nil || !strings.Contains(err.Error(), "no key") {
		t.Errorf("without a key: got %v", err)
	}
	if _, err := Open("midjourney", Options{}); err == nil {
		t.Error("an unknown service was opened")
	}
}

func TestMakeIsCancelled(t *testing.T) {
	began := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(began)
		<-r.Context().Done()
	}))
	defer srv.Close()
	m, err := Open("openai", Options{Client: srv.Client(), BaseURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := m.Make(ctx, Order{Prompt: "a fox"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func FuzzParseImages(f *testing.F) {
	f.Add([]byte(`{"data":[{"b64_json":"aGVsbG8="}]}`))
	f.Add([]byte(`{"data":[{"url":"https://x"}]}`))
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"inlineData":{"data":"aGk="}}]}}]}`))
	f.Add([]byte(`{"promptFeedback":{"blockReason":"X"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, parse := range []func([]byte) (made, error){parseImages, parseGoogle} {
			if got, err := parse(body); err == nil && len(got.data) == 0 && got.link == "" {
				t.Error("neither a picture nor a failure")
			}
		}
	})
}
