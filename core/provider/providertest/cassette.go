package providertest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A Cassette is recorded traffic of a real interface, as go-vcr writes it.
type Cassette struct {
	Name         string // "TestOpenAICommon/openai-gpt-4o/tool"
	Interactions []Interaction
}

// An Interaction is one request and its answer.
type Interaction struct {
	Request struct {
		URL  string `yaml:"url"`
		Body string `yaml:"body"`
	} `yaml:"request"`
	Response struct {
		Code    int                 `yaml:"code"`
		Headers map[string][]string `yaml:"headers"`
		Body    string              `yaml:"body"`
	} `yaml:"response"`
}

// Cassettes reads all cassettes below dir.
func Cassettes(tb testing.TB, dir string) []Cassette {
	tb.Helper()
	var out []Cassette
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		var c Cassette
		if err := yaml.Unmarshal(raw, &c); err != nil || len(c.Interactions) == 0 {
			tb.Fatalf("%s is no cassette: %v", p, err)
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			tb.Fatal(err)
		}
		c.Name = strings.TrimSuffix(filepath.ToSlash(rel), ".yaml")
		out = append(out, c)
	}
	return out
}

// A Replay gives the answers of a cassette in order, and keeps what it was
// asked. It is the transport of a client.
type Replay struct {
	Cassette Cassette
	Piece    int // bytes that one read of an answer brings; 0 for as many as fit

	mu    sync.Mutex
	asked []string
}

// Asked returns the bodies of the requests so far.
func (r *Replay) Asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// RoundTrip implements [http.RoundTripper].
func (r *Replay) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.asked)
	if n == len(r.Cassette.Interactions) {
		return nil, errors.New("providertest: the cassette is at its end")
	}
	in := r.Cassette.Interactions[n]
	if want, got := address(in.Request.URL), address(req.URL.String()); got != want {
		return nil, errors.New("providertest: asked at " + got + ", recorded at " + want)
	}
	r.asked = append(r.asked, string(body))
	return &http.Response{
		StatusCode: in.Response.Code, Header: in.Response.Headers, Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(&pieces{bytes.NewReader([]byte(in.Response.Body)), r.Piece}), ContentLength: -1,
	}, nil
}

// address is a URL without its query. Gemini has two for one thing: with and
// without a stream.
func address(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return strings.Replace(url, ":generateContent", ":streamGenerateContent", 1)
}

// pieces reads at most n bytes at once.
type pieces struct {
	r io.Reader
	n int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.n > 0 && len(b) > p.n {
		b = b[:p.n]
	}
	return p.r.Read(b)
}
