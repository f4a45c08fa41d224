package app

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/hobkin/hobkin"

// layers says which folders a folder may import. The longest key that holds a
// package is its rule; a folder may always import itself.
var layers = map[string][]string{
	"assets":            {},
	"core":              {"core", "assets"},
	"core/capability":   {},
	"core/provider":     {"core/capability"},
	"core/agent":        {"core/capability", "core/provider", "assets"},
	"core/tools":        {"core"}, // and see banned
	"browser":           {"core"},
	"browser/cdp":       {},
	"computeruse":       {"core"},
	"ui":                {"core/control", "core/command", "core/agent", "core/capability", "core/provider", "assets"},
	"app":               {"core", "browser", "computeruse", "ui", "assets"},
	"cmd":               {"core", "app"},
	"cmd/hobkin-helper": {"core", "computeruse"},
	"packaging":         {},
	"test":              {"core", "app", "browser", "assets"},
}

// banned says what a folder may not import although its layer would let it.
var banned = map[string][]string{
	"core/tools":   {"core/agent", "core/provider", "core/control", "core/store", "core/config"},
	"core/control": {"core/store", "core/tools", "core/permission", "core/config"},
	"cmd/hobkin":   {"ui", "core/tools"},

	"computeruse/helper": {"computeruse/native"}, // it is another program
	"computeruse/tool":   {"computeruse/native"},
}

// homes says where a heavy dependency may be imported.
var homes = map[string][]string{
	"fyne.io/fyne/v2":                                 {"ui"},
	"fyne.io/systray":                                 {"app/tray"},
	"github.com/chromedp/chromedp":                    {"browser"},
	"github.com/chromedp/cdproto":                     {"browser"},
	"github.com/go-vgo/robotgo":                       {"computeruse/native"},
	"github.com/godbus/dbus/v5":                       {"app/notify", "computeruse/native", "test"},
	"github.com/jezek/xgb":                            {"computeruse/native", "cmd/hobkin-helper"},
	"github.com/kbinani/screenshot":                   {"computeruse/native"},
	"github.com/mark3labs/mcp-go":                     {"core/mcp"},
	"modernc.org/sqlite":                              {"core/store"},
	"codeberg.org/readeck/go-readability/v2":          {"core/webpage"},
	"github.com/JohannesKaufmann/html-to-markdown/v2": {"core/webpage"},
	"github.com/PuerkitoBio/goquery":                  {"core/websearch"},
	"github.com/spf13/cobra":                          {"cmd/hobkin"},
	"github.com/zalando/go-keyring":                   {"core/secret"},
	"filippo.io/age":                                  {"core/secret"},
}

func TestLayers(t *testing.T) {
	for _, p := range list(t) {
		rule := longest(p.rel())
		if rule == "" {
			t.Errorf("%s lies in no layer; see the table", p.rel())
		}
		for _, imp := range p.Imports {
			rel, ours := strings.CutPrefix(imp, module+"/")
			if ours && !under(rel, append(layers[rule], rule)) {
				t.Errorf("%s imports %s; %s may import only %q", p.rel(), rel, rule, layers[rule])
			}
			for dir, bad := range banned {
				if ours && under(p.rel(), []string{dir}) && under(rel, bad) {
					t.Errorf("%s imports %s, which %s must not know", p.rel(), rel, dir)
				}
			}
			for dep, home := range homes {
				if under(imp, []string{dep}) && !under(p.rel(), home) {
					t.Errorf("%s imports %s, which belongs in %q", p.rel(), imp, home)
				}
			}
		}
	}
}

// longest returns the longest key of layers that holds the package.
func longest(rel string) (key string) {
	for k := range layers {
		if under(rel, []string{k}) && len(k) > len(key) {
			key = k
		}
	}
	return key
}

// under reports whether path is one of dirs or lies in one.
func under(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return path == d || strings.HasPrefix(path, d+"/") })
}

// pkg is one package as "go list -json" prints it.
type pkg struct {
	ImportPath, Dir, Doc string
	GoFiles, Imports     []string
}

func (p pkg) rel() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

func list(t *testing.T) (pkgs []pkg) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Doc,GoFiles,Imports", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// TestHeadless holds the promise that the command line needs no cgo and no
// window: none of these may be among its dependencies.
func TestHeadless(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"/cmd/hobkin")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		for _, heavy := range []string{"fyne.io/fyne", "fyne.io/systray", "github.com/go-vgo", "github.com/go-gl", "runtime/cgo", module + "/ui", module + "/computeruse/native"} {
			if strings.HasPrefix(dep, heavy) {
				t.Errorf("cmd/hobkin depends on %s", dep)
			}
		}
	}
}
