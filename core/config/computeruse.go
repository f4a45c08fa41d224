package config

import (
	"slices"
	"strings"
	"unicode"
)

// ComputerUse says whether and how the screen, the mouse and the keyboard are
// used.
type ComputerUse struct {
	Enabled        bool                     `toml:"enabled" comment:"Offer the use of the screen, the mouse and the keyboard, in conversations that you take part in."`
	CourtesyIdleMS int                      `toml:"courtesy_idle_ms" min:"0" max:"60000" comment:"Milliseconds that your hands must have rested before an act; 0 waits for nothing."`
	MaxActions     int                      `toml:"max_actions" min:"1" max:"1000" comment:"Acts of one turn; then it tells how far it came."`
	AllowedApps    []string                 `toml:"allowed_apps" comment:"Programs that are used without asking, by the names that the question shows. \"Always\" adds to it."`
	DeniedApps     []string                 `toml:"denied_apps" comment:"Programs that are never used, beyond terminals, password managers, system settings and Hobkin itself; a * at the end stands for the rest."`
	Hotkey         string                   `toml:"hotkey" comment:"Keys that pause from anywhere, such as \"ctrl+alt+Pause\"; empty takes none."`
	Corner         bool                     `toml:"corner" comment:"Throwing the mouse into a corner of the screen pauses."`
	Bar            bool                     `toml:"bar" comment:"Show a small bar on the screen while it is used, that says what happens and pauses at a click."`
	Helper         string                   `toml:"helper" path:"abs" comment:"Program of the native helper. Empty looks beside this program, then among what was fetched."`
	HostedTool     string                   `toml:"hosted_tool" enum:"auto,on,off" comment:"Use the provider's own computer tool where the model knows one: auto where that was tried against recorded traffic (Anthropic), on for OpenAI's too, off never. The provider's tool points only: lists of elements, marks and windows are left to ours."`
	LongEdge       int                      `toml:"long_edge" min:"0" max:"8192" comment:"Pixels of the longer side of a picture of the screen; 0 is 1568."`
	Tiles          int                      `toml:"tiles" min:"0" max:"100000" comment:"Squares of 28 pixels that such a picture has at most; 0 is 1568."`
	Coordinates    string                   `toml:"coordinates" enum:"auto,pixels,thousandths" comment:"How models name a place in a picture: by its pixels, or as 0 to 1000 of its width and height. auto is what is known of the model, else pixels."`
	Models         map[string]ComputerModel `toml:"models" comment:"Models that differ from that, each under its own name, such as [computer_use.models.\"gemini-3-pro\"]; a * at the end stands for the rest."`
}

// A ComputerModel is how one model sees the screen. What is empty is as for all.
type ComputerModel struct {
	LongEdge    int    `toml:"long_edge" min:"0" max:"8192" comment:"Pixels of the longer side of a picture; 0 is as for all."`
	Tiles       int    `toml:"tiles" min:"0" max:"100000" comment:"Squares of 28 pixels of a picture; 0 is as for all."`
	Coordinates string `toml:"coordinates" enum:",auto,pixels,thousandths" comment:"How it names a place; empty is as for all. The setup page has a test that tells."`
}

func defaultComputerUse() ComputerUse {
	return ComputerUse{
		CourtesyIdleMS: 1500, MaxActions: 80, Hotkey: "ctrl+alt+Pause", Corner: true, Bar: true, HostedTool: "auto", Coordinates: "auto",
		Models: map[string]ComputerModel{},
	}
}

// For is how a model sees the screen: the entry of its own name, else the
// longest that stands for it, else what holds for all.
func (c ComputerUse) For(model string) ComputerModel {
	out := ComputerModel{LongEdge: c.LongEdge, Tiles: c.Tiles, Coordinates: c.Coordinates}
	own, ok := c.Models[model]
	best := -1
	for name, m := range c.Models {
		stem, wild := strings.CutSuffix(name, "*")
		if !ok && wild && strings.HasPrefix(model, stem) && len(stem) > best {
			own, best = m, len(stem)
		}
	}
	if own.LongEdge > 0 {
		out.LongEdge = own.LongEdge
	}
	if own.Tiles > 0 {
		out.Tiles = own.Tiles
	}
	if own.Coordinates != "" {
		out.Coordinates = own.Coordinates
	}
	return out
}

// maxApp bounds the name of a program, in bytes.
const maxApp = 64

// ValidApp reports whether a text can be the name of a program on the screen.
func ValidApp(name string) bool {
	return strings.TrimSpace(name) == name && name != "" && len(name) <= maxApp && !strings.ContainsAny(name, `*/\:"`) && !strings.ContainsFunc(name, unicode.IsControl)
}

func checkComputerUse(d *document, c *Config) (out []Problem) {
	at := func(key, near, format string, args ...any) {
		e, _ := d.find([]string{"computer_use", key})
		out = append(out, d.problemAt(e, near, "computer_use."+key+" "+format, args...))
	}
	cu := c.ComputerUse
	if i := slices.IndexFunc(cu.AllowedApps, func(name string) bool { return !ValidApp(name) }); i >= 0 {
		at("allowed_apps", "", "has %s, which is no name of a program such as gedit", quote(cu.AllowedApps[i]))
	}
	if i := slices.IndexFunc(cu.DeniedApps, func(name string) bool { return !ValidApp(strings.TrimSuffix(name, "*")) }); i >= 0 {
		at("denied_apps", "", "has %s, which is no name of a program; a * may stand at its end alone", quote(cu.DeniedApps[i]))
	}
	if strings.TrimSpace(cu.Hotkey) != cu.Hotkey || strings.ContainsAny(cu.Hotkey, " \t") || strings.HasSuffix(cu.Hotkey, "+") {
		at("hotkey", "ctrl+alt+Pause", "must be keys joined by +, or empty for none")
	}
	for name := range cu.Models {
		if stem := strings.TrimSuffix(name, "*"); strings.Contains(stem, "*") || name == "" {
			e, _ := d.find([]string{"computer_use", "models", name})
			out = append(out, d.problemAt(e, "", "computer_use.models: %s is no name of a model; a * may stand at its end alone", quote(name)))
		}
	}
	return out
}
