package policy

import (
	"github.com/hobkin/hobkin/core/provider"
)

// ScreenTool is the tool that operates this computer; its results have pictures
// of the screen, of which only the newest tell how things are.
const ScreenTool = "computer_use"

// How many pictures of the screen are sent. Older ones go several at a time: a
// picture that is left out changes what stands there, and all behind it must be
// read anew by a provider that had it cached. So that happens at every third
// picture and not at each.
const (
	KeepScreens = 3 // the newest stay
	screenStep  = 3 // so many go at once; up to KeepScreens+screenStep-1 are sent
)

// screenLeftOut stands in place of a picture of the screen.
const screenLeftOut = "[The picture of the screen that stood here was left out, since newer ones follow. Take a screenshot to see it as it is now.]"

// screensFrom returns the index of the first message whose pictures of the
// screen are sent. It depends on nothing but the history, so that it is the
// same after a restart.
func screensFrom(history []provider.Message) int {
	shown := 0
	for _, m := range history {
		shown += screens(m)
	}
	gone := (shown - KeepScreens) / screenStep * screenStep
	if gone <= 0 {
		return 0
	}
	for i, m := range history {
		if gone -= screens(m); gone <= 0 {
			if gone < 0 {
				return i // it has more pictures than are to go: they stay together
			}
			return i + 1
		}
	}
	return 0
}

// screens counts the results in a message that have a picture of the screen.
func screens(m provider.Message) (n int) {
	for _, p := range m.Parts {
		if isScreen(p) {
			n++
		}
	}
	return n
}

func isScreen(p provider.Part) bool {
	r, ok := p.(provider.ToolResult)
	return ok && r.Name == ScreenTool && len(r.Images) > 0
}

// pastScreen puts a line of text in place of a picture of the screen.
func pastScreen(p provider.Part) (provider.Part, bool) {
	if !isScreen(p) {
		return p, false
	}
	r := p.(provider.ToolResult)
	r.Text, r.Images = r.Text+"\n"+screenLeftOut, nil
	return r, true
}
