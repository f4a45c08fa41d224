package desktop

import (
	"testing"

	"github.com/hobkin/hobkin/core/control"
)

func TestDiagnosis(t *testing.T) {
	well := control.Check{Name: "Git", Status: "passed", Detail: "git version 2"}
	none := control.Check{Name: "Audio", Status: "not_applicable"}
	bad := control.Check{Name: "Database", Status: "failed", Detail: "damaged", Fix: "restore it"}
	odd := control.Check{Name: "Model", Status: "warning", Detail: "none is connected"}
	for name, tt := range map[string]struct {
		checks      []control.Check
		title, body string
	}{
		"well": {[]control.Check{well, none}, "All is well", "2 parts were tried."},
		"not":  {[]control.Check{well, bad, odd}, "2 of 3 parts need attention", "Database: damaged → restore it\nModel: none is connected"},
	} {
		t.Run(name, func(t *testing.T) {
			if title, body := diagnosis(nil, tt.checks); title != tt.title || body != tt.body {
				t.Errorf("= %q, %q; want %q, %q", title, body, tt.title, tt.body)
			}
		})
	}
}
