//go:build unix

package x11

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// TestTerminal: typed and pasted into a terminal, where Ctrl+V does not paste,
// and in which foreign characters are the hardest.
func TestTerminal(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "1280x860")
	got := filepath.Join(t.TempDir(), "got")
	d.Go("env", "LANG=C.UTF-8", "xterm", "-u8", "-T", "terminal", "-e", "sh", "-c", "exec cat > "+got)
	d.Window("terminal")
	c := serve(t, d)
	d.Until("the terminal's program", func() bool { _, err := os.Stat(got); return err == nil })
	var want []byte
	for _, script := range []string{"latin", "cyrillic", "han", "hebrew"} {
		for _, method := range []string{wire.Type, wire.Paste} {
			c.do(method, wire.TypeParams{Text: scripts[script] + "\n"}, nil)
			want = append(want, scripts[script]...)
			want = append(want, '\n')
		}
	}
	c.do(wire.Key, wire.KeyParams{Chord: "ctrl+d"}, nil)
	var have string
	d.Until("the end of the terminal", func() bool {
		raw, err := os.ReadFile(got)
		have = string(raw)
		return err == nil && len(have) >= len(want)
	})
	if have != string(want) {
		t.Errorf("the terminal got %q, want %q", have, want)
	}
}
