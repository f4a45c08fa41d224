package permission

import (
	"github.com/hobkin/hobkin/core/capability"
)

// risk is how much a call can do, for the colour of the question.
func (s *subject) risk() string {
	if s.line != nil {
		return s.lineRisk()
	}
	switch {
	case s.preview.Destructive, s.tool.Hints.Destructive == capability.Yes, s.tool.Class == capability.GUIControl:
		return High
	case s.tool.Class == capability.ReadOnly:
		return Low
	case edits[s.tool.Name]:
		if ok, _ := s.editsInside(); ok {
			return Low
		}
	}
	return Medium
}

// heavy are commands that lose or change much at once.
var heavy = set("rm", "rmdir", "shred", "dd", "truncate", "chmod", "chown", "kill", "pkill", "killall", "curl", "wget", "nc", "scp", "rsync", "ssh", "crontab", "systemctl", "docker",
	"mount", "umount", "iptables", "ufw", "useradd", "usermod", "passwd", "visudo", "eval")

func (s *subject) lineRisk() string {
	if s.line.Unknown || len(s.line.Warnings) > 0 || s.preview.Destructive {
		return High
	}
	for i := range s.line.Commands {
		if c := &s.line.Commands[i]; c.root || heavy[c.Name()] {
			return High
		}
	}
	if ok, _ := s.line.harmless(); ok {
		return Low
	}
	return Medium
}
