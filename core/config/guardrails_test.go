package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestGuardrails(t *testing.T) {
	right := "[[guardrails]]\nname = \"keys\"\nstage = \"output\"\ntype = \"regex\"\npattern = \"sk-[a-z0-9]+\"\nreplace = \"[key]\"\n"
	var many strings.Builder
	for i := range 65 {
		many.WriteString(strings.Replace(right, "keys", fmt.Sprint("keys", i), 1))
	}
	for name, tt := range map[string]struct {
		text         string
		line, column int
		has          string // empty when it is right
	}{
		"right":              {right, 0, 0, ""},
		"two":                {right + strings.Replace(right, "keys", "more", 1), 0, 0, ""},
		"the same name":      {right + right, 8, 1, "another guardrail has this name"},
		"a bad pattern":      {strings.Replace(right, "[a-z0-9]+", "(x", 1), 5, 1, "missing closing )"},
		"a bad class":        {strings.Replace(right, "[a-z0-9]+", "[z-a]", 1), 5, 1, "at character 5 (z-a)"},
		"no pattern":         {strings.Replace(right, "pattern", "#pattern", 1), 1, 3, "needs pattern"},
		"no stage":           {strings.Replace(right, "stage", "#stage", 1), 1, 3, "needs stage"},
		"an unknown type":    {strings.Replace(right, "\"regex\"", "\"regexp\"", 1), 4, 1, "did you mean regex?"},
		"an unknown key":     {right + "patern = \"x\"\n", 7, 1, "did you mean"},
		"too many":           {many.String(), 385, 3, "65 guardrails; at most 64"},
		"a strange provider": {"[[guardrails]]\nname = \"m\"\nstage = \"output\"\ntype = \"moderation\"\nsource = \"nowhere\"\n", 5, 1, "no provider is named"},
		"a strange role":     {"[[guardrails]]\nname = \"m\"\nstage = \"output\"\ntype = \"llm_judge\"\nprompt = \"x\"\nsource = \"boss\"\n", 6, 1, "role of a model"},
	} {
		c, err := Parse("/c.toml", []byte(tt.text))
		bad, _ := errors.AsType[*Error](err)
		switch {
		case tt.has == "" && (err != nil || len(c.Guardrails) == 0 || c.Guardrails[0].Rule().Pattern != "sk-[a-z0-9]+"):
			t.Errorf("%s: %v", name, err)
		case tt.has != "" && (bad == nil || bad.Problems[0].Line != tt.line || bad.Problems[0].Column != tt.column || !strings.Contains(bad.Problems[0].Message, tt.has)):
			t.Errorf("%s: %v; want %d:%d: %s", name, err, tt.line, tt.column, tt.has)
		}
	}
}
