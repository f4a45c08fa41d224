package e2e

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/agent"
)

// busy is asked twice, as the mock refuses once and says when to come again.
func busy(t *testing.T, p *person) {
	t.Helper()
	o := p.run("ask", "busy")
	if o.code != 0 || o.out != "Now there is time.\n" {
		t.Errorf("busy: exit code %d, %q %q", o.code, o.out, o.errs)
	}
}

func locked(t *testing.T, p *person) {
	t.Helper()
	said := fails(t, p, "locked")
	if !strings.Contains(said, "the key was not accepted") || !strings.Contains(said, "hobkin secrets set") {
		t.Errorf("locked: %q", said)
	}
}

// cut is an answer that breaks off: what came is shown and kept, and the
// failure is told.
func cut(t *testing.T, p *person) {
	t.Helper()
	o := p.run("ask", "--json", "break off")
	list := events(t, o.out)
	failed, ok := list[len(list)-1].Payload.(agent.TurnFailed)
	if !ok || o.code != 4 || !strings.HasPrefix(failed.Code, "provider_") || failed.Try == "" {
		t.Fatalf("exit code %d, the end is %+v", o.code, list[len(list)-1].Payload)
	}
	plain(t, failed.Message+"\n"+failed.Try)
	var shown strings.Builder
	for _, d := range of[agent.OutputDelta](list) {
		shown.WriteString(d.Text)
	}
	if shown.Len() == 0 || !strings.HasPrefix("This answer is cut before it is whole, as happens on a bad network.", shown.String()) {
		t.Errorf("shown: %q", shown.String())
	}
	if doc := p.must("sessions", "export", "-f", "json", list[0].Session); !strings.Contains(doc, "break off") {
		t.Errorf("the message is not in the session: %s", doc)
	}
}

// fails asks what must end with a failure of the provider, and returns what
// was said about it: one sentence and one that leads on.
func fails(t *testing.T, p *person, text string) string {
	t.Helper()
	o := p.run("ask", text)
	if o.code != 4 {
		t.Errorf("%s: exit code %d, want 4: %q %q", text, o.code, o.out, o.errs)
	}
	_, said, found := strings.Cut(o.errs, "Could not finish: ")
	if lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n"); !found || len(lines) != 2 || lines[0] == "" || lines[1] == "" {
		t.Errorf("%s: want one sentence and one that leads on, got %q", text, o.errs)
	}
	plain(t, o.errs)
	return said
}

// goish finds what is meant for programmers.
var goish = regexp.MustCompile(`dial tcp|unexpected EOF|goroutine|context |0x[0-9a-f]+|%!|<html|\*\w+\.\w+|provider: |agent: `)

// plain checks that a person can read it.
func plain(t *testing.T, said string) {
	t.Helper()
	if m := goish.FindString(said); m != "" {
		t.Errorf("%q is not for people: %s", m, said)
	}
}

// TestRudeModels meets servers that are down, silent or something else.
func TestRudeModels(t *testing.T) {
	t.Parallel()
	for name, rude := range map[string]struct {
		serve http.HandlerFunc // nil: nothing listens
		want  string
		only  string // one format alone: a temporary failure is tried again for some seconds
	}{
		"down": {want: "nothing listens at 127.0.0.1", only: "chat"},
		"a web page": {serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html><body>Log in to the hotel's network</body></html>")
		}, want: "web page"},
		"a web page of an error": {serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<html><body>403 Forbidden "+modelKey+"</body></html>")
		}, want: "a web page instead of an answer"},
		"invalid JSON": {serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"choices\": [{]}\n\ndata: [DONE]\n\n")
		}, want: "not valid JSON"},
		"an empty answer": {serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
		}, want: "broke before the answer was whole", only: "responses"},
	} {
		for kind, f := range formats {
			if rude.only != "" && rude.only != kind {
				continue
			}
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(rude.serve)
				defer server.Close()
				address := server.URL
				if rude.serve == nil {
					address = "http://" + closed(t)
				}
				if said := fails(t, withModel(t, f, address), "hello"); !strings.Contains(said, rude.want) {
					t.Errorf("said %q, want %q in it", said, rude.want)
				}
			})
		}
	}
}

// closed is an address at which nothing listens.
func closed(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // that is the point
	return l.Addr().String()
}
