package login

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
)

const label = "io.github.hobkin.Hobkin"

// home is the folder of the person's launch agents. The system reads them at login,
// so an agent that runs is left alone.
func home() (place, error) {
	h, err := os.UserHomeDir()
	if err != nil {
		return nil, errNoHome
	}
	off := func([]byte) bool { return false } // the system keeps its switches elsewhere
	return file{path: filepath.Join(h, "Library", "LaunchAgents", label+".plist"), content: agent, off: off, starts: runs}, nil
}

// agent starts the program once: it has no KeepAlive, which would start one again
// that the person quit.
func agent(program string) []byte {
	return []byte(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + label + `</string>
	<key>ProgramArguments</key>
	<array>
		` + text(program) + `
		` + text(Hidden) + `
	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Interactive</string>
</dict>
</plist>
`)
}

func text(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes all
	return "<string>" + b.String() + "</string>"
}

func runs(content []byte, program string) bool { return line(content, text(program)) }
