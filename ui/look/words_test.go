package look

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/assets"
	"github.com/hobkin/hobkin/ui/say"
)

// spoken are keys that the code makes while it runs.
var spoken = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// literals returns the string literals of the Go files below a folder that are
// the first argument of one of the functions; of all calls when none is named.
func literals(t *testing.T, dir string, funcs ...string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if len(n.Args) > 0 && slices.Contains(funcs, name(n.Fun)) {
					add(out, n.Args[0])
				}
			case *ast.BasicLit:
				if len(funcs) == 0 {
					add(out, n)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return name(e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func add(to map[string]bool, e ast.Expr) {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if s, err := strconv.Unquote(lit.Value); err == nil {
			to[s] = true
		}
	}
}

func languages(t *testing.T) map[string]map[string]string {
	t.Helper()
	files, err := assets.Languages.ReadDir("lang")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]string{}
	for _, f := range files {
		raw, err := assets.Languages.ReadFile("lang/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		words := map[string]string{}
		if err := json.Unmarshal(raw, &words); err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		out[strings.TrimSuffix(f.Name(), ".json")] = words
	}
	return out
}

// TestLanguages holds that every sentence of the window is in every language,
// with the same places in it, and that none is there for nothing.
func TestLanguages(t *testing.T) {
	ours := literals(t, "..", "look.L", "L", "say.P", "P", "say.Err", "lang.X")
	for _, of := range []string{"w", "a.words", "d.opts.Words", "s.words", "t.words"} {
		maps.Copy(ours, literals(t, "../../app", of+".L")) // the tray, the notifications and the strip
	}
	for _, s := range spoken {
		ours[s] = true
	}
	core := literals(t, "../../core")
	maps.Copy(core, literals(t, "../../browser"))
	maps.Copy(core, literals(t, "../../app/computeruse_commands.go"))
	all := languages(t)
	en := all["en"]
	for key := range ours {
		if _, ok := en[key]; !ok {
			t.Errorf("en.json lacks %q", key)
		}
	}
	for key := range en {
		if !ours[key] && !core[key] {
			t.Errorf("en.json has %q, which nothing says", key)
		}
	}
	place := regexp.MustCompile(`\{\{[^}]*\}\}`)
	for language, words := range all {
		for key, text := range words {
			if _, ok := en[key]; !ok {
				t.Errorf("%s.json has %q, which en.json has not", language, key)
			}
			want, got := place.FindAllString(key, -1), place.FindAllString(text, -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s.json: %q has the places %q, want %q", language, text, got, want)
			}
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s.json: %q has no words", language, key)
			}
		}
		for key := range en {
			if _, ok := words[key]; !ok {
				t.Errorf("%s.json lacks %q", language, key)
			}
		}
	}
}

// TestLanguageOfTheSettings: the one that is set is spoken, whatever the system's
// is. A process has one language, so each has one of its own.
func TestLanguageOfTheSettings(t *testing.T) {
	if os.Getenv("HOBKIN_TEST_SPEAK") != "" {
		if err := AddLanguages("de"); err != nil {
			t.Fatal(err)
		}
		if got := L("Stop"); got != "Anhalten" {
			t.Errorf("it says %q", got)
		}
		return
	}
	for _, system := range []string{"en_US.UTF-8", "en_GB", "fr_FR.UTF-8", "zh_TW.UTF-8", "sr_RS@latin", "C", "", "tlh"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLanguageOfTheSettings$") //nolint:gosec // this program
		cmd.Env = append(os.Environ(), "HOBKIN_TEST_SPEAK=1", "LC_ALL="+system, "LANGUAGE=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("on a system that speaks %q: %v\n%s", system, err, out)
		}
	}
}

func speak(t *testing.T, language string) {
	t.Helper()
	for name, value := range map[string]string{"LANGUAGE": "", "LC_ALL": "", "LC_MESSAGES": "", "LANG": language} {
		t.Setenv(name, value)
	}
	if err := AddLanguages(""); err != nil {
		t.Fatal(err)
	}
}

// TestEachLanguageIsFound holds that a system's language finds its file.
func TestEachLanguageIsFound(t *testing.T) {
	for language, want := range map[string]string{
		"en_US": "Deny", "de_AT": "Ablehnen", "es_MX": "Denegar", "fr_CA": "Refuser", "ja_JP": "拒否", "zh_CN": "拒绝", "tlh_XX": "Deny",
	} {
		speak(t, language+".UTF-8")
		if got := L("Deny"); got != want {
			t.Errorf("%s: got %q, want %q", language, got, want)
		}
	}
}

func TestSay(t *testing.T) {
	for language, want := range map[string][]string{
		"en_GB.UTF-8": {"Deny", "Deleted “{{x}}”", "$1.50", "done · yesterday", "Edit file", "{{nothing}}"},
		"de_DE.UTF-8": {"Ablehnen", "„{{x}}“ gelöscht", "1,50 $", "fertig · gestern", "Datei ändern", "{{nothing}}"},
	} {
		speak(t, language)
		got := []string{
			L("Deny"), L("Deleted “{{.Title}}”", "Title", "{{x}}"), Say(say.P("${{.N}}", "N", say.Number("1.50"))),
			Say(say.P("done · {{.When}}", "When", say.P("yesterday"))), Foreign("Edit file"), Foreign("{{nothing}}"),
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", language, got, want)
		}
	}
	if Say(say.Phrase{}) != "" {
		t.Error("nothing is said with words")
	}
}
