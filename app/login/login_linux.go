package login

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// entryName is the file's name, which is the id of the program.
const entryName = "io.github.hobkin.Hobkin.desktop"

// home follows the Desktop Application Autostart Specification 0.5.
func home() (place, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the specification has relative ones ignored
		h, err := os.UserHomeDir()
		if err != nil {
			return nil, errNoHome
		}
		dir = filepath.Join(h, ".config")
	}
	return file{path: filepath.Join(dir, "autostart", entryName), content: entry, off: switchedOff, starts: runs}, nil
}

func entry(program string) []byte {
	return []byte(`[Desktop Entry]
Type=Application
Name=Hobkin
Comment=A desktop agent for your own machine
` + execLine(program) + `
Icon=io.github.hobkin.Hobkin
Terminal=false
StartupNotify=false
X-GNOME-Autostart-enabled=true
`)
}

// execLine is quoted as the Desktop Entry Specification 1.5 asks: twice, since
// the value is a string of the file first and a command line then.
func execLine(program string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", `$`, `\$`, `%`, `%%`).Replace(program)
	value := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(`"` + quoted + `"`)
	return "Exec=" + value + " " + Hidden
}

func runs(content []byte, program string) bool { return line(content, execLine(program)) }

// switchedOff reports whether a tool of the desktop has switched the entry off, as
// those of GNOME, KDE and Xfce do.
func switchedOff(content []byte) bool {
	for l := range bytes.Lines(content) {
		key, value, _ := strings.Cut(string(l), "=")
		switch strings.TrimSpace(key) + "=" + strings.TrimSpace(value) {
		case "Hidden=true", "X-GNOME-Autostart-enabled=false":
			return true
		}
	}
	return false
}
