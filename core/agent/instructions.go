package agent

import (
	"io"
	"os"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// Instructions is a file that tells agents how to work in a folder.
type Instructions struct{ Name, Text string }

// maxInstructions bounds all of them together, in bytes.
const maxInstructions = 32 << 10

// ReadInstructions returns AGENTS.md and CLAUDE.md of a folder, where they are
// and say different things. It follows no link out of the folder and reads
// regular files only; what cannot be read is as if it were not there.
func ReadInstructions(dir string) []Instructions {
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	var out []Instructions
	left := maxInstructions
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		text := readInstruction(root, name, left)
		if text == "" || len(out) > 0 && out[0].Text == text {
			continue
		}
		out = append(out, Instructions{name, text})
		left -= len(text)
	}
	return out
}

func readInstruction(root *os.Root, name string, most int) string {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return ""
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	const note = "\n[The rest was left out: the instructions are too long.]"
	switch {
	case len(text) > most && most <= 2*len(note):
		return "" // hardly more than the note would be left
	case len(text) > most:
		text = capability.CutText(text, most-len(note)) + note
	}
	return strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
}
