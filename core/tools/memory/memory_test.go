package memory

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/capability/capabilitytest"
	"github.com/hobkin/hobkin/core/memory"
	"github.com/hobkin/hobkin/core/secret"
	"github.com/hobkin/hobkin/core/store"
)

// TestTools covers every tool of the group: a new tool needs only its script.
func TestTools(t *testing.T) {
	capabilitytest.Contract(t, Tools.Bind(nil))
	capabilitytest.Scripts(t, func(t *testing.T, dir string) []capability.Capability {
		t.Helper()
		tools := Tools.Bind(newHost(t, dir))
		for i := range tools {
			tools[i].Handler = dateless(tools[i].Handler)
		}
		return tools
	})
}

var dates = regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]{2} \d{4}\b`)

// dateless takes the day of the test out of results.
func dateless(run capability.Handler) capability.Handler {
	return func(ctx context.Context, call capability.Call) (capability.Result, error) {
		r, err := run(ctx, call)
		r.Text = dates.ReplaceAllString(r.Text, "$$DATE")
		return r, err
	}
}

// newHost makes a host with a book of its own. Files of the tree that are called
// source are among the owner's sources; a value that begins with "A page says"
// comes from outside.
func newHost(t *testing.T, dir string) *Host {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: filepath.Join(filepath.Dir(dir), "data")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	files := &memory.Files{}
	h := &Host{Book: &memory.Book{Store: s, Secrets: &secret.Redactor{}, Read: files.Read}}
	h.Origin = func(call capability.Call) Origin {
		if regexp.MustCompile(`A page says|at-a-pages-word`).Match(call.Args) {
			return Origin{Source: "https://example.org/", Hold: "this turn has read content from outside (https://example.org/)."}
		}
		return Origin{Source: "this conversation"}
	}
	if source := filepath.Join(dir, "source.md"); exists(source) {
		if _, err := h.Book.AddSource(t.Context(), source); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestGuests: a guest neither sees nor changes what the owner's memory holds.
func TestGuests(t *testing.T) {
	tools := Tools.Bind(newHost(t, t.TempDir()))
	reg := &capability.Registry{}
	if err := reg.RegisterAll(tools...); err != nil {
		t.Fatal(err)
	}
	guest := capability.Turn{Session: "s", Trust: capability.Guest}
	if got := reg.List(capability.Filter{Turn: guest}); len(got) != 0 {
		t.Errorf("a guest is offered %d tools", len(got))
	}
	run := &capability.Runner{Registry: reg}
	for _, c := range tools {
		if o := run.Run(t.Context(), capability.Request{ID: "1", Name: c.Name, Args: []byte(`{"key":"a","value":"b"}`), Filter: capability.Filter{Turn: guest}}); !o.Failed() {
			t.Errorf("a guest ran %s: %q", c.Name, o.Result.Text)
		}
	}
}
