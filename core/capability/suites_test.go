package capability

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hobkin/hobkin/test/suite"
)

// lines decodes a JSON Lines file of the suites.
func lines[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open(suite.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []T
	for sc := bufio.NewReader(f); ; {
		line, err := sc.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var v T
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out = append(out, v)
		}
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// same compares two documents by value, numbers by what they are worth.
func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	var v, w any
	return json.Unmarshal(x, &v) == nil && json.Unmarshal(y, &w) == nil && reflect.DeepEqual(v, w)
}

func TestSuiteJSONRepairTS(t *testing.T) {
	rows := lines[struct {
		In   string `json:"in"`
		Want string `json:"want_text"`
	}](t, "jsonrepair_ts.jsonl")
	passed := 0
	for _, row := range rows {
		got, err := mendJSON(row.In)
		if err == nil && same(json.RawMessage(got), json.RawMessage(row.Want)) {
			passed++
			continue
		}
		t.Logf("%q: got %q, %v; want %q", row.In, got, err, row.Want)
	}
	report(t, "jsonrepair_ts", passed, len(rows), 0.95)
}

// pyPolicy are rows that the Python library reads by another policy than we do,
// by the place of its test.
var pyPolicy = map[string]string{
	"test_parse_comment.py:12":        "a comment behind # ends with its line, not at a bracket",
	"test_parse_object.py:90":         "a missing value is null, not empty text",
	"test_json_repair.py:245":         "a missing value is null, not empty text",
	"test_parse_object.py:144":        "of several documents none is dropped",
	"test_parse_object.py:146":        "of several documents none is dropped",
	"test_json_repair.py:291":         "a line break that was written stays",
	"test_json_repair.py:292":         "a comma within text does not end it",
	"test_json_repair.py:304":         "about the library's log",
	"test_json_repair.py:305":         "about the library's log",
	"test_parse_array.py:49":          "half a key is left out, not made a list",
	"test_parse_array.py:50":          "a set stays an object, which the schema refuses",
	"test_parse_array.py:98":          "a quote within text does not split it",
	"test_parse_array.py:102":         "a quote within text does not split it",
	"test_parse_string.py:38":         "nothing is an error, not empty text",
	"test_parse_string.py:182":        "a line break in a key stays",
	"test_parse_string.py:380":        "a bare truth value is one",
	"test_parse_string.py:496":        "a quote within words belongs to them",
	"test_schema_guided_parse.py:282": "about a schema, which this step does not see",
	"test_schema_parser_paths.py:127": "about a schema, which this step does not see",
}

func TestSuiteJSONRepairPy(t *testing.T) {
	rows := lines[struct {
		Src  string         `json:"src"`
		In   string         `json:"in"`
		Want any            `json:"want"`
		Opts map[string]any `json:"opts"`
	}](t, "jsonrepair_py.jsonl")
	passed, ours := 0, 0
	for _, row := range rows {
		want := row.Want
		if text, ok := want.(string); ok && row.Opts["return_objects"] == nil {
			_ = json.Unmarshal([]byte(text), &want) // what is no JSON is the text itself
		}
		_, differs := pyPolicy[strings.TrimPrefix(row.Src, "json_repair/")]
		if !differs {
			ours++
		}
		got, err := mendJSON(row.In)
		switch {
		case err == nil && same(json.RawMessage(got), want):
			passed++
			if differs {
				t.Errorf("%s passes; take it off the list", row.Src)
			}
		case !differs:
			t.Errorf("%s: %q: got %q, %v; want %v", row.Src, row.In, got, err, row.Want)
		}
	}
	report(t, "jsonrepair_py", passed, len(rows), 0)
	report(t, "jsonrepair_py, where the policy is the same", passed, ours, 0.95)
}

// report prints a rate and gates on it.
func report(t *testing.T, name string, passed, all int, least float64) {
	t.Helper()
	rate := float64(passed) / float64(all)
	t.Logf("%s: %d of %d (%.1f %%)", name, passed, all, 100*rate)
	if rate < least {
		t.Errorf("%s: %.1f %%, at least %.1f %% wanted", name, 100*rate, 100*least)
	}
}

// schemaTests unpacks the JSON Schema test suite.
func schemaTests(t *testing.T) map[string][]byte {
	t.Helper()
	path := suite.Path(t, "json-schema-tests.tar.xz")
	plain, err := exec.CommandContext(t.Context(), "xz", "--decompress", "--stdout", path).Output()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") != "true" {
		t.Skip("the program xz is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for tr := tar.NewReader(bytes.NewReader(plain)); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(tr); err != nil {
			t.Fatal(err)
		}
	}
}

// remotes serves the suite's remote schemas, which it puts on localhost:1234.
type remotes map[string][]byte

func (r remotes) Load(at string) (any, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	raw, ok := r["remotes"+u.Path]
	if !ok || u.Host != "localhost:1234" {
		return nil, fmt.Errorf("no remote schema %s", at)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

type schemaGroup struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

func TestSuiteJSONSchema(t *testing.T) {
	files := schemaTests(t)
	for name, draft := range map[string]*jsonschema.Draft{"draft7": jsonschema.Draft7, "draft2020-12": jsonschema.Draft2020} {
		t.Run(name, func(t *testing.T) {
			core, optional := tally{draft: draft, least: 1}, tally{draft: draft}
			for path, raw := range files {
				rest, ok := strings.CutPrefix(path, "tests/"+name+"/")
				if !ok || !strings.HasSuffix(path, ".json") {
					continue
				}
				var groups []schemaGroup
				if err := json.Unmarshal(raw, &groups); err != nil {
					t.Fatal(err)
				}
				to := &core
				if strings.Contains(rest, "/") {
					to = &optional
				}
				for _, g := range groups {
					to.group(t, rest, g, files)
				}
			}
			report(t, name, core.passed, core.all, core.least)
			report(t, name+" optional", optional.passed, optional.all, optional.least)
		})
	}
}

type tally struct {
	draft       *jsonschema.Draft
	passed, all int
	least       float64
}

func (n *tally) group(t *testing.T, file string, g schemaGroup, files remotes) {
	t.Helper()
	compiler := newCompiler()
	compiler.DefaultDraft(n.draft)
	compiler.UseLoader(files)
	if strings.HasPrefix(file, "optional/format/") {
		compiler.AssertFormat() // those tests are about that; elsewhere a format is a remark
	}
	var c compiled
	c.schema, c.doc, c.err = compileWith(compiler, g.Schema)
	for _, test := range g.Tests {
		n.all++
		err := c.err
		if err == nil {
			err = c.validate(test.Data)
		}
		if c.err == nil && (err == nil) == test.Valid {
			n.passed++
			continue
		}
		t.Logf("%s: %s: %s: got %v, want valid %v", file, g.Description, test.Description, err, test.Valid)
	}
}
