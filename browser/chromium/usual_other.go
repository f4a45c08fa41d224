//go:build !linux && !darwin && !windows

package chromium

const exeSuffix = ""

// usual: on other systems PATH has the browser.
func (Search) usual() []string { return nil }
