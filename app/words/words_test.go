package words

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/assets"
	"github.com/hobkin/hobkin/core/config"
)

func TestIn(t *testing.T) {
	for _, tt := range []struct{ set, lang, languages, want string }{
		{"de", "en_US.UTF-8", "", "Anhalten"},
		{"", "de_DE.UTF-8", "", "Anhalten"},
		{"", "de_AT", "", "Anhalten"},
		{"", "en_US.UTF-8", "fr:de", "Arrêter"},
		{"", "de_DE.UTF-8", "en_GB:de", "Stop"},
		{"", "C", "de", "Stop"},
		{"", "", "", "Stop"},
		{"", "zh_CN.UTF-8", "", "停止"},
		{"zh-Hans", "de_DE.UTF-8", "", "停止"},
		{"en", "de_DE.UTF-8", "", "Stop"},
		{"", "tlh_KX", "", "Stop"},
	} {
		for name, value := range map[string]string{"LC_ALL": "", "LC_MESSAGES": "", "LANG": tt.lang, "LANGUAGE": tt.languages} {
			t.Setenv(name, value)
		}
		if got := In(tt.set).L("Stop"); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// What stands in a place is a person's or a program's text, and no place itself.
func TestPlaces(t *testing.T) {
	w := In("de")
	if got := w.L("{{.N}} of {{.All}} parts need attention", "N", "{{.All}}", "All", "7"); got != "{{.All}} von 7 Teilen brauchen Aufmerksamkeit" {
		t.Errorf("got %q", got)
	}
	if got := Words(nil).L("Working: “{{.Said}}”", "Said", "x"); got != "Working: “x”" {
		t.Errorf("got %q", got)
	}
	for _, said := range []string{"what the core says", "Working: “{{.Said}}”"} {
		if got := w.Foreign(said); got != said {
			t.Errorf("%q became %q", said, got)
		}
	}
	if got := w.Foreign("Ready"); got != "Bereit" {
		t.Errorf("got %q", got)
	}
}

// The settings offer the languages that there are.
func TestSetting(t *testing.T) {
	files, err := assets.Languages.ReadDir("lang")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".json")
		if _, err := config.Parse("x", []byte("[desktop]\nlanguage = \""+name+"\"\n")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := config.Parse("x", []byte("[desktop]\nlanguage = \"tlh\"\n")); err == nil || !strings.Contains(err.Error(), "must be one of de, en,") {
		t.Errorf("a language that there is not: %v", err)
	}
}
