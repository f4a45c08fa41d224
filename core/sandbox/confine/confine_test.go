package confine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/sandbox/confine"
)

func TestModes(t *testing.T) {
	nothing := &confine.Confiner{Only: []confine.Backend{"none such"}}
	if held, report, err := nothing.Prepare(confine.Off, confine.Spec{}); held != nil || err != nil || report.Sentence() != "" {
		t.Errorf("off gives %v, %q, %v; want nothing", held, report.Sentence(), err)
	}
	held, report, err := nothing.Prepare(confine.Auto, confine.Spec{})
	if held != nil || err != nil || !strings.HasPrefix(report.Sentence(), "This command was not confined by the kernel: ") {
		t.Errorf("auto gives %v, %q, %v; want a sentence", held, report.Sentence(), err)
	}
	if held, _, err := nothing.Prepare(confine.Required, confine.Spec{}); held != nil || !errors.Is(err, confine.Unavailable) {
		t.Errorf("required gives %v, %v; want a refusal", held, err)
	}
}
