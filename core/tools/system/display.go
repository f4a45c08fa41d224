package system

import (
	"slices"
	"strings"
	"sync"

	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/vt"
)

// The terminal of a command, see [shellIn].
const (
	terminalCols = 80
	terminalRows = 24
	maxInput     = 4000 // bytes; a terminal takes a line of 4,095
)

// A display is the screen of a command that has a terminal. It is safe for
// concurrent use.
type display struct {
	mu     sync.Mutex
	screen *vt.Screen
	strip  vt.Stripper
}

// newDisplay makes a display, of which keep gets the lines that leave it.
func newDisplay(keep func(line string)) *display {
	return &display{screen: vt.NewScreen(terminalCols, terminalRows, keep)}
}

// draw takes in what the command prints, and gives its text for those who watch.
func (d *display) draw(chunk []byte) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _ = d.screen.Write(chunk) // never fails
	return slices.Clone(d.strip.Strip(chunk))
}

// now is what is on the screen.
func (d *display) now() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.screen.String()
}

// end lets what is on the screen leave it.
func (d *display) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.screen.Flush()
}

// terminal is what package process is given for a line; nil without one.
func (l *line) terminal() *process.Terminal {
	if !l.PTY {
		return nil
	}
	return &process.Terminal{Cols: terminalCols, Rows: terminalRows, Input: l.Input}
}

// withTerminal is an environment for one.
func withTerminal(env []string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(pair string) bool { return strings.HasPrefix(pair, "TERM=") })
	return append(out, "TERM=xterm-256color")
}

// typed is the command line as it has to be judged: what is typed may be
// commands for the program that reads it.
func (in *shellIn) typed() string {
	if in.Input == "" {
		return in.Command
	}
	return "printf %s '" + strings.ReplaceAll(in.Input, "'", `'\''`) + "' | {\n" + in.Command + "\n}"
}
