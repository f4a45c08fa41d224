package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/pdftext/pdftexttest"
)

func onePage(h http.HandlerFunc) http.Handler { return h }

func pngOf(t *testing.T, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFetchKinds(t *testing.T) {
	pdf := string(pdftexttest.Make([]string{pdftexttest.Text("Words of a PDF")}, ""))
	cases := map[string]struct {
		contentType, body, kind, want string
	}{
		"HTML":                   {"text/html; charset=utf-8", "<p>Words of a page</p>", "html", "Words of a page"},
		"XHTML":                  {"application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Words</p></body></html>`, "html", "Words"},
		"HTML unsaid":            {"", "<!DOCTYPE html><p>Words</p>", "html", "Words"},
		"HTML as bytes":          {"application/octet-stream", "<html><p>Words</p>", "html", "Words"},
		"HTML as text":           {"text/plain", "<html><p>Words</p>", "text", "<html><p>Words</p>"},
		"JSON":                   {"application/json", "{\"a\" :\n 1}", "json", "{\"a\" :\n 1}"},
		"JSON of a kind":         {"application/activity+json; charset=utf-8", `{"b":"ä"}`, "json", `{"b":"ä"}`},
		"text":                   {"text/markdown", "# Title\n\n<b>", "text", "# Title\n\n<b>"},
		"XML":                    {"application/rss+xml", "<rss><title>T</title></rss>", "text", "<rss><title>T</title></rss>"},
		"SVG":                    {"image/svg+xml", "<svg></svg>", "text", "<svg></svg>"},
		"source unsaid":          {"", "package main\n", "text", "package main\n"},
		"unknown but text":       {"application/x-ndjson", "{}\n{}\n", "text", "{}\n{}\n"},
		"Latin-1":                {"text/html; charset=iso-8859-1", "<p>F\xfcnf</p>", "html", "Fünf"},
		"Shift-JIS by meta":      {"text/html", "<meta charset=shift_jis><p>\x93\xfa\x96\x7b</p>", "html", "日本"},
		"PDF":                    {"application/pdf", pdf, "pdf", "Words of a PDF"},
		"PDF as bytes":           {"application/octet-stream", pdf, "pdf", "Words of a PDF"},
		"picture":                {"image/png", pngOf(t, 4, 3), "picture", "Picture: PNG, 4×3"},
		"picture said to be JPG": {"image/jpeg", pngOf(t, 4, 3), "picture", "Picture: PNG, 4×3"},
		"archive":                {"application/zip", "PK\x03\x04\x00\x00", "binary", "application/zip, 6 B"},
		"bytes":                  {"application/octet-stream", "\x00\x01\x02\x03", "binary", "application/octet-stream, 4 B"},
		"sound":                  {"audio/mpeg", "ID3 looks like text", "binary", "audio/mpeg, 19 B"},
		"text that is none":      {"text/plain", "a\x00b", "binary", "text/plain, 3 B"},
		"nothing":                {"text/html", "", "html", "(The page shows no text.)"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, onePage(send(c.contentType, c.body)))
			r := b.ok("web_fetch", `{"url": "$SITE/x"}`)
			if !strings.Contains(r.Text, c.want) || !strings.Contains(string(r.Data), `"kind":"`+c.kind+`"`) {
				t.Errorf("got %s\n%s", r.Data, r.Text)
			}
			if (c.kind == "picture") != (len(r.Images) == 1) {
				t.Errorf("%d images", len(r.Images))
			}
		})
	}
}

func TestFetchRaw(t *testing.T) {
	b := newBench(t, onePage(send("text/html", "<!-- a comment --><p hidden>F\xfcnf</p>")))
	if r := b.ok("web_fetch", `{"url": "$SITE/", "raw": true}`); !strings.Contains(r.Text, "<!-- a comment --><p hidden>Fünf</p>") {
		t.Errorf("got %s", r.Text)
	}
}

// A picture of any size is shown in one that models take (field bug 199).
func TestFetchLargePicture(t *testing.T) {
	b := newBench(t, onePage(send("image/png", pngOf(t, 1600, 200))))
	r := b.ok("web_fetch", `{"url": "$SITE/x.png"}`)
	if len(r.Images) != 1 || !strings.Contains(r.Text, "PNG, 1600×200, shown at 1568×196") {
		t.Errorf("got %d images, %s", len(r.Images), r.Text)
	}
	if cfg, _, err := image.DecodeConfig(bytes.NewReader(r.Images[0].Data)); err != nil || cfg.Width != 1568 {
		t.Errorf("the image is %d wide, %v", cfg.Width, err)
	}
	b = newBench(t, onePage(send("image/png", pngOf(t, 50, 50)[:60])))
	b.fails("web_fetch", `{"url": "$SITE/"}`, "unreadable")
}

// However much a server sends, little of it is read and less reaches a model
// (field bug 196).
func TestFetchHugePage(t *testing.T) {
	endless := func(contentType string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			for line := strings.Repeat("word ", 2000) + "\n"; ; {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
		}
	}
	b := newBench(t, onePage(endless("text/plain")))
	r := b.ok("web_fetch", `{"url": "$SITE/"}`)
	for _, want := range []string{"only the first 5.0 MB of it were read", "go on with offset"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the result does not say %q: …%s", want, r.Text[max(len(r.Text)-300, 0):])
		}
	}
	if len(r.Text) > 40_000 {
		t.Errorf("%d bytes reach the model", len(r.Text))
	}
	b = newBench(t, onePage(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "%PDF-1.7\n")
		endless("application/pdf")(w, r)
	}))
	b.fails("web_fetch", `{"url": "$SITE/"}`, "too_big")
}

func TestFetchStatus(t *testing.T) {
	for status, want := range map[int]string{
		401: "needs_login", 403: "forbidden", 404: "page_not_found", 410: "page_not_found", 418: "bad_status", 429: "rate_limited",
		451: "forbidden", 500: "server_error", 503: "server_error", 304: "bad_status", 302: "bad_status",
	} {
		b := newBench(t, onePage(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(status)
		}))
		u := b.fails("web_fetch", `{"url": "$SITE/"}`, want)
		if !strings.Contains(u.Message, strconv.Itoa(status)) || u.Try == "" {
			t.Errorf("%d: %v, %s", status, u, u.Try)
		}
		if (status == 429 || status >= 500) && (u.Details["retry_after_s"] != 90 || !strings.Contains(u.Try, "1m30s")) {
			t.Errorf("%d: the wait is not told: %v, %s", status, u.Details, u.Try)
		}
	}
}

func TestFetchTimes(t *testing.T) {
	slow := func(first string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if first != "" {
				_, _ = io.WriteString(w, first)
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		})
	}
	b := newBench(t, slow(""))
	b.host.Limits.Header = 50 * time.Millisecond
	b.fails("web_fetch", `{"url": "$SITE/"}`, "too_slow")
	b = newBench(t, slow("<p>The beginning"))
	b.host.Limits.Whole = 100 * time.Millisecond
	b.fails("web_fetch", `{"url": "$SITE/"}`, "too_slow")

	b = newBench(t, slow("x"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if o := b.run(ctx, "web_fetch", `{"url": "$SITE/"}`); !errors.Is(o.Err, capability.TimedOut) {
		t.Errorf("a call that ended: got %v", o.Err)
	}
}

func TestFetchBrokenOff(t *testing.T) {
	b := newBench(t, onePage(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "the beginning")
	}))
	for range 2 { // it is not kept
		r := b.ok("web_fetch", `{"url": "$SITE/"}`)
		if !strings.Contains(r.Text, "the beginning\n(only the first 13 B of it were read)") || strings.Contains(r.Text, "ago") {
			t.Errorf("got %s", r.Text)
		}
	}
}

func TestFetchRedirects(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/hop/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := 0
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		if n == 0 {
			send("text/plain", "arrived")(w, r)
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/hop/%d", n-1), http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+"/hop/0", http.StatusFound)
	})
	mux.HandleFunc("/inside", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	})
	b := newBench(t, mux)
	if r := b.ok("web_fetch", `{"url": "$SITE/hop/5"}`); !strings.Contains(r.Text, "arrived") || strings.Contains(r.Text, "led on") {
		t.Errorf("got %s", r.Text)
	}
	b.fails("web_fetch", `{"url": "$SITE/hop/6"}`, "too_many_redirects")
	b.fails("web_fetch", `{"url": "$SITE/round"}`, "too_many_redirects")
	b.fails("web_fetch", `{"url": "$SITE/inside"}`, "blocked_address")
	if r := b.ok("web_fetch", `{"url": "$SITE/away"}`); !strings.Contains(r.Text, "led on to localhost") || !strings.Contains(string(r.Data), `"url":"http://localhost:`) {
		t.Errorf("the hop is not told: %s %s", r.Data, r.Text)
	}
}

func TestFetchRefused(t *testing.T) {
	b := newBench(t, onePage(send("text/plain", "internal")))
	guard, err := netguard.New(netguard.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b.host.Guard = guard
	b.fails("web_fetch", `{"url": "$SITE/"}`, "blocked_address")
	for url, code := range map[string]string{
		"http://127.0.0.1/": "blocked_address", "http://0x7f.1/": "blocked_address", "http://[::1]/": "blocked_address", "localhost/": "bad_url",
		"javascript:alert(1)": "bad_scheme", "": "bad_input", "not an address": "bad_url", "https://user:pw@example.org/": "credentials_in_url",
	} {
		b.fails("web_fetch", `{"url": "`+url+`"}`, code)
	}
	b = newBench(t, nil)
	gone := httptest.NewServer(nil)
	gone.Close()
	b.fails("web_fetch", `{"url": "`+gone.URL+`"}`, "unreachable")
	secure := httptest.NewUnstartedServer(send("text/plain", "x"))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	b.fails("web_fetch", `{"url": "`+secure.URL+`"}`, "bad_certificate")
	plain := httptest.NewServer(send("text/plain", "x"))
	defer plain.Close()
	b.fails("web_fetch", `{"url": "`+strings.Replace(plain.URL, "http:", "https:", 1)+`"}`, "bad_certificate")
}

// Text that is hidden from a reader is hidden from the model.
func TestFetchHidden(t *testing.T) {
	page := "<title>T</title><article>" + strings.Repeat("<p>Words that everyone sees, with a comma.</p>", 20) +
		"<!-- obey --><p style='display:none'>obey</p><span style='font-size:0'>obey</span><div aria-hidden=true style='position:absolute;left:-999em'>obey</div><p style='color:#fff;background:#fff'>obey</p></article>"
	b := newBench(t, onePage(send("text/html", page)))
	if r := b.ok("web_fetch", `{"url": "$SITE/"}`); strings.Contains(r.Text, "obey") || !strings.Contains(r.Text, "everyone sees") {
		t.Errorf("got %s", r.Text)
	}
}

type model struct {
	answer string
	err    error
	asked  []string
}

func (m *model) Summarise(_ context.Context, _ capability.Turn, prompt, text string) (string, error) {
	m.asked = append(m.asked, prompt+"|"+text)
	return m.answer, m.err
}

func TestFetchPrompt(t *testing.T) {
	long := strings.Repeat("Words and words and words.\n", 300)
	cases := map[string]struct {
		page  string
		model *model
		want  string
		asked int
	}{
		"short":       {"A few words.", &model{answer: "sum"}, "A few words.", 0},
		"long":        {long, &model{answer: " the sum \n"}, "the sum\n(this is what the background model made", 1},
		"no model":    {long, nil, "(it was not summarised: no model is set up that could do it)", 0},
		"not set up":  {long, &model{err: ErrNoModel}, "(it was not summarised: no model is set up that could do it)", 1},
		"model fails": {long, &model{err: errors.New("it is overloaded")}, "(it was not summarised: it is overloaded)", 1},
		"says nought": {long, &model{}, "(it was not summarised: the model said nothing)", 1},
	}
	for name, c := range cases {
		b := newBench(t, onePage(send("text/plain", c.page)))
		if c.model != nil {
			b.host.Summariser = c.model
		}
		r := b.ok("web_fetch", `{"url": "$SITE/", "prompt": "What?"}`)
		if !strings.Contains(r.Text, c.want) {
			t.Errorf("%s: got %s", name, r.Text)
		}
		if strings.Contains(c.want, "not summarised") && !strings.Contains(r.Text, "Words and words") {
			t.Errorf("%s: the page itself is missing", name)
		}
		if c.model != nil && len(c.model.asked) != c.asked || c.asked == 1 && !strings.HasPrefix(c.model.asked[0], "What?|Words and") {
			t.Errorf("%s: asked %v", name, c.model.asked)
		}
	}
}

// Going on with the offsets that are named gives the whole text, once.
func TestFetchGoesOn(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "Zeile %d mit Ümläuten und 日本語.\n", i)
	}
	b := newBench(t, onePage(send("text/plain; charset=utf-8", text.String())))
	var got strings.Builder
	offset, pages := 0, 0
	for {
		p := &page{header: "text/plain", body: []byte(text.String())}
		r, err := b.host.read(t.Context(), p, false)
		if err != nil {
			t.Fatal(err)
		}
		next, err := b.host.portion(r, fetchIn{Offset: offset, MaxChars: 7001}, utf8.RuneCountInString(r.text))
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(r.text)
		pages++
		if offset = next; next == 0 {
			break
		}
	}
	if got.String() != text.String() || pages < 10 {
		t.Errorf("%d pages of %d bytes, want %d bytes", pages, got.Len(), text.Len())
	}
	r := b.ok("web_fetch", `{"url": "$SITE/", "offset": 50, "max_chars": 100}`)
	if !strings.Contains(r.Text, "go on with offset") || !strings.Contains(string(r.Data), `"next_offset":`) {
		t.Errorf("got %s", r.Text)
	}
	b.fails("web_fetch", `{"url": "$SITE/", "offset": 9999999}`, "past_end")
}

func TestLanguages(t *testing.T) {
	for in, want := range map[string]string{
		"": "en-US,en;q=0.8", "en-GB": "en-US,en;q=0.8", "de": "de,en;q=0.7", "de-AT": "de-AT,de;q=0.9,en;q=0.7", "x\r\ny": "en-US,en;q=0.8",
	} {
		if got := languages(in); got != want {
			t.Errorf("%q: got %q", in, got)
		}
	}
}
