package config

import (
	"testing"
)

func TestComputerUse(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"enabled = true\n":              "",
		"courtesy_idle_ms = 0\n":        "",
		"courtesy_idle_ms = -1\n":       "2: computer_use.courtesy_idle_ms must be at least 0",
		"max_actions = 0\n":             "2: computer_use.max_actions must be at least 1",
		"allowed_apps = [\"gedit\"]\n":  "",
		"allowed_apps = [\"libre*\"]\n": "2: computer_use.allowed_apps has \"libre*\", which is no name",
		"denied_apps = [\"libre*\"]\n":  "",
		"denied_apps = [\"*\"]\n":       "2: computer_use.denied_apps has \"*\", which is no name",
		"allowed_apps = [\"\"]\n":       "2: computer_use.allowed_apps has \"\", which is no name",
		"denied_apps = [\"a*b\"]\n":     "2: computer_use.denied_apps has \"a*b\", which is no name",
		"denied_apps = [\" gimp\"]\n":   "2: computer_use.denied_apps has \" gimp\", which is no name",
		"hotkey = \"\"\n":               "",
		"hotkey = \"ctrl + p\"\n":       "2: computer_use.hotkey must be keys joined by +",
		"hotkey = \"ctrl+\"\n":          "2: computer_use.hotkey must be keys joined by +",
		"helper = \"hobkin-helper\"\n":  "2: computer_use.helper must be an absolute path",
		"hosted_tool = \"always\"\n":    "2: computer_use.hosted_tool must be one of auto, on, off",
		"coordinates = \"percent\"\n":   "2: computer_use.coordinates must be one of auto, pixels, thousandths",
		"long_edge = 9000\n":            "2: computer_use.long_edge must be at most 8192",
		"[computer_use.models.\"gemini-3*\"]\ncoordinates = \"thousandths\"\n": "",
		"[computer_use.models.\"a*b\"]\ntiles = 3\n":                           "2: computer_use.models: \"a*b\" is no name of a model",
		"enable = true\n": "2: unknown key computer_use.enable",
	} {
		checkSection(t, "computer_use", text, want)
	}
}

// Each model may see the screen in its own way; what it leaves empty is as for
// all, and computer use is off unless it is switched on.
func TestComputerUseOfAModel(t *testing.T) {
	if c := Default().ComputerUse; c.Enabled || c.CourtesyIdleMS != 1500 || c.MaxActions != 80 {
		t.Errorf("the defaults are %+v", c)
	}
	c := ComputerUse{LongEdge: 1568, Coordinates: "pixels", Models: map[string]ComputerModel{
		"gemini-*": {Coordinates: "thousandths"}, "gemini-3*": {LongEdge: 768}, "claude-opus-5": {LongEdge: 2576, Tiles: 4784},
	}}
	for model, want := range map[string]ComputerModel{
		"gpt-5.4":       {LongEdge: 1568, Coordinates: "pixels"},
		"gemini-2":      {LongEdge: 1568, Coordinates: "thousandths"},
		"gemini-3-pro":  {LongEdge: 768, Coordinates: "pixels"},
		"claude-opus-5": {LongEdge: 2576, Tiles: 4784, Coordinates: "pixels"},
	} {
		if got := c.For(model); got != want {
			t.Errorf("%s: %+v, want %+v", model, got, want)
		}
	}
}
