package provider_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

// readAll reads a whole stream as "event=data" strings, a cut one with a "~".
func readAll(r io.Reader, limit int64) ([]string, error) {
	var out []string
	for e, err := range provider.ReadSSE(r, limit) {
		if err != nil {
			return out, err
		}
		s := e.Event + "=" + string(e.Data)
		if e.Cut {
			s += "~"
		}
		out = append(out, s)
	}
	return out, nil
}

func TestReadSSE(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"nothing":           {"", nil},
		"one":               {"data: a\n\n", []string{"=a"}},
		"named":             {"event: ping\ndata: {}\n\n", []string{"ping={}"}},
		"name is not kept":  {"event: ping\ndata: 1\n\ndata: 2\n\n", []string{"ping=1", "=2"}},
		"event sans data":   {"event: ping\n\ndata: 2\n\n", []string{"=2"}},
		"several lines":     {"data: a\ndata: b\ndata:\n\n", []string{"=a\nb\n"}},
		"one space goes":    {"data:  a\ndata:b\n\n", []string{"= a\nb"}},
		"comments":          {": PROCESSING\n\n: x\ndata: a\n\n", []string{"=a"}},
		"unknown fields":    {"id: 3\nretry: 10\nfoo\ndata: a\n\n", []string{"=a"}},
		"crlf":              {"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []string{"=a\nb", "=c"}},
		"cr":                {"data: a\rdata: b\r\rdata: c\r\r", []string{"=a\nb", "=c"}},
		"byte order mark":   {"\ufeffdata: a\n\n", []string{"=a"}},
		"no last newlines":  {"data: a\n\ndata: [DONE]", []string{"=a", "=[DONE]~"}},
		"cut after newline": {"data: a\n", []string{"=a~"}},
		"a line of 3 MB":    {"data: " + long + "\n\n", []string{"=" + long}},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, r := range map[string]io.Reader{
				"whole":       strings.NewReader(tc.in),
				"byte a time": iotest.OneByteReader(strings.NewReader(tc.in)),
				"with end":    iotest.DataErrReader(strings.NewReader(tc.in)),
			} {
				got, err := readAll(r, 4<<20)
				if err != nil {
					t.Fatalf("%s: %v", kind, err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s: (-want +got)\n%s", kind, diff)
				}
			}
		})
	}
}

func TestReadSSELimit(t *testing.T) {
	for name, in := range map[string]string{
		"one endless line": "data: " + strings.Repeat("x", 5000),
		"many events":      strings.Repeat("data: x\n\n", 1000),
		"only comments":    strings.Repeat(": x\n", 3000),
	} {
		if _, err := readAll(strings.NewReader(in), 4096); !errors.Is(err, provider.ErrTooLarge) {
			t.Errorf("%s: got %v, want ErrTooLarge", name, err)
		}
	}
	if _, err := readAll(strings.NewReader("data: abc\n\n"), 11); err != nil {
		t.Errorf("a stream just as long as its limit: %v", err)
	}
}

func TestReadSSEError(t *testing.T) {
	broken := errors.New("broken")
	got, err := readAll(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)), 4096)
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the reader", err)
	}
	if diff := cmp.Diff([]string{"=a"}, got); diff != "" {
		t.Error(diff)
	}
}

// A CR ends its line at once: the byte after it may be long in coming.
func TestReadSSEDoesNotWaitAfterCR(t *testing.T) {
	pr, pw := io.Pipe()
	defer func() { _ = pr.Close() }() // ends the writer
	go func() { _, _ = pw.Write([]byte("data: a\r\r")) }()
	for e, err := range provider.ReadSSE(pr, 4096) {
		if err != nil || string(e.Data) != "a" {
			t.Fatalf("got %q, %v", e.Data, err)
		}
		return // without it the reader would wait for ever
	}
}

func FuzzReadSSE(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "event: x\r\ndata: {}\r\n\r\n", "\ufeff:c\rdata:\r\r", "data", "\r\n\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err1 := readAll(bytes.NewReader(in), 1<<20)
		single, err2 := readAll(iotest.OneByteReader(bytes.NewReader(in)), 1<<20)
		if (err1 == nil) != (err2 == nil) {
			t.Fatalf("errors differ: %v, %v", err1, err2)
		}
		if diff := cmp.Diff(whole, single); diff != "" {
			t.Fatalf("the way it is cut matters: %s", diff)
		}
	})
}
