package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/lazy"
	"github.com/hobkin/hobkin/core/sandbox"
)

// Floor is the failure of a call that no mode, no rule and no person can let
// through: it would wipe the home, a disk or keys, or approve itself.
var Floor = &capability.Failure{
	Code: "floor",
	When: "the call would do what is never done: wipe the home or a disk, stop the machine, read keys, or approve itself",
	Try:  "do not try another spelling; tell the owner what you wanted to do, so that they can do it themselves",
}

// floor knows what must not happen on this machine.
type floor struct {
	policy *sandbox.Policy
	turn   capability.Turn
	home   string
	roots  []string // see allowed
	depth  int
}

func newFloor(p *sandbox.Policy, turn capability.Turn) *floor {
	return &floor{policy: p, turn: turn, home: p.Home()}
}

// allowed are the roots of the turn. They are worked out when first asked for:
// most calls of tools never do.
func (f *floor) allowed() []string {
	if f.roots == nil {
		f.roots = f.policy.Roots(f.turn)
	}
	return f.roots
}

// command says what a command line would do that is never done; empty when
// nothing. Warnings go to the analysis.
func (f *floor) command(a *Analysis) string {
	if len(a.floor) > 0 {
		return a.floor[0]
	}
	for i := range a.Commands {
		c := &a.Commands[i]
		for _, check := range []func(*Command, *Analysis) string{f.devices, f.power, f.kills, f.own, f.deletes, f.secrets, f.code} {
			if why := check(c, a); why != "" {
				return why
			}
		}
	}
	return ""
}

// harmlessDevices are what may be written below /dev.
var harmlessDevices = lazy.Regexp(`^/dev/(null|zero|full|random|urandom|tty[0-9]*|pts/.*|ptmx|console|stdin|stdout|stderr|fd/.*|shm/.*|tcp/.*|udp/.*|mqueue/.*|ttyUSB[0-9]+|ttyACM[0-9]+|ttyS[0-9]+)$`)

// device reports whether a path is of a disk, of memory or of another device
// whose contents must not be overwritten.
func device(path string) bool {
	path = filepath.Clean(path)
	if path == "/proc/sysrq-trigger" || strings.HasPrefix(path, `\\.\`) {
		return true
	}
	return strings.HasPrefix(path, "/dev/") && !harmlessDevices().MatchString(path)
}

// formatters erase what they are pointed at.
var formatters = lazy.Regexp(`^(mkfs(\..*)?|mke2fs|mkswap|mkdosfs|mkntfs|newfs(_.*)?|wipefs|blkdiscard|sgdisk|sfdisk|cfdisk|zpool|pvcreate|mdadm|format\.com)$`)

func (f *floor) devices(c *Command, _ *Analysis) string {
	for _, w := range c.Writes {
		if device(w) {
			return "it overwrites the device " + w
		}
	}
	name := strings.ToLower(c.Name())
	if formatters().MatchString(name) && len(c.args) > 1 && !onlyAsks(c) {
		return name + " formats a disk"
	}
	for i, a := range c.args[min(1, len(c.args)):] {
		path, writes := a.text, false
		switch name {
		case "dd":
			path, writes = strings.CutPrefix(a.text, "of=")
		case "tee", "shred", "wipe", "truncate", "badblocks", "fdisk", "gdisk", "parted", "hdparm", "nvme", "cryptsetup", "diskutil", "partprobe":
			writes = !onlyAsks(c)
		case "cp", "mv", "install", "rsync", "cat", "ln":
			writes = name != "cat" && i == len(c.args)-2
		}
		if writes && device(path) {
			return name + " overwrites the device " + path
		}
	}
	return ""
}

// onlyAsks reports whether a disk tool is asked to list or explain.
func onlyAsks(c *Command) bool {
	return slices.ContainsFunc(c.args[1:], func(a arg) bool {
		return slices.Contains([]string{"-l", "--list", "-h", "--help", "-V", "--version", "list", "status", "-n", "--no-act", "info", "print"}, a.text)
	})
}

// power stops or restarts the machine.
func (f *floor) power(c *Command, _ *Analysis) string {
	const why = " stops or restarts the machine"
	name := strings.ToLower(c.Name())
	word := func(words ...string) bool {
		return slices.ContainsFunc(c.args[1:], func(a arg) bool { return slices.Contains(words, a.text) })
	}
	switch name {
	case "shutdown", "reboot", "halt", "poweroff", "telinit":
		if !word("--help", "--version", "-c", "--show") {
			return name + why
		}
	case "init":
		if word("0", "1", "6", "s", "S", "single") {
			return name + why
		}
	case "systemctl", "loginctl":
		if word("poweroff", "reboot", "halt", "kexec", "soft-reboot", "suspend", "hibernate", "hybrid-sleep", "rescue", "emergency", "isolate", "exit") {
			return name + why
		}
		if word("terminate-user", "kill-user", "terminate-session", "terminate-seat") {
			return name + " ends the owner's session"
		}
	case "dbus-send", "gdbus", "busctl", "qdbus", "osascript":
		if slices.ContainsFunc(c.args[1:], func(a arg) bool { return powerCall().MatchString(a.text) }) {
			return name + why
		}
	case "gnome-session-quit", "xfce4-session-logout":
		return name + " ends the owner's session"
	}
	return ""
}

var powerCall = lazy.Regexp(`(?i)(login1|consolekit|session).*(poweroff|reboot|halt|suspend|shutdown|stop|restart|logout)|^(poweroff|reboot|powerOff)$|shut ?down|restart|\.(PowerOff|Reboot|Halt|Shutdown)\b`)

// everyProcess matches patterns that fit every process name.
var everyProcess = lazy.Regexp(`^[\^.*?+$\[\]()|]*$`)

// kills ends every process there is.
func (f *floor) kills(c *Command, _ *Analysis) string {
	const why = " ends every process"
	args := c.args[min(1, len(c.args)):]
	switch strings.ToLower(c.Name()) {
	case "kill":
		if killsAll(args) {
			return "kill" + why
		}
	case "killall5":
		return "killall5" + why
	case "pkill", "killall":
		return f.killsByName(c, args, why)
	}
	return ""
}

// killsAll reports whether -1, every process, or 1, the first, is a target.
func killsAll(args []arg) bool {
	if slices.ContainsFunc(args, func(a arg) bool { return a.text == "-l" || a.text == "-L" || a.text == "--list" }) {
		return false
	}
	if len(args) > 1 && strings.HasPrefix(args[0].text, "-") { // the signal, or --
		switch args[0].text {
		case "-s", "-n", "--signal":
			args = args[1:]
		}
		args = args[1:]
	}
	return slices.ContainsFunc(args, func(a arg) bool { return a.text == "-1" || a.text == "1" })
}

func (f *floor) killsByName(c *Command, args []arg, why string) string {
	pattern, user, inverse := false, false, false
	for i, a := range args {
		switch {
		case strings.HasPrefix(a.text, "-"):
			user = user || namesUser(a.text)
			inverse = inverse || a.text == "-v" && c.Name() == "pkill" || a.text == "--inverse"
		case i > 0 && isValueOption(args[i-1].text):
		case everyProcess().MatchString(a.text) && (c.Name() == "pkill" || a.text != ""):
			return c.Name() + why
		default:
			pattern = true
		}
	}
	if inverse || user && !pattern {
		return c.Name() + why
	}
	return ""
}

// namesUser reports whether an option of pkill or killall takes all processes
// of a user.
func namesUser(o string) bool {
	return slices.ContainsFunc([]string{"-u", "-U", "--user", "--uid", "--euid"}, func(p string) bool { return strings.HasPrefix(o, p) })
}

// isValueOption reports whether an option of pkill or killall takes the next word.
func isValueOption(o string) bool {
	return slices.Contains([]string{"-u", "-U", "--user", "--uid", "--euid", "-g", "-G", "-P", "-s", "-t", "--signal", "--ns", "-n", "-o", "-y"}, o)
}

// ownReads are the commands of this app that change nothing.
var ownReads = set("version", "--version", "-v", "help", "--help", "-h", "doctor", "tools", "status")

// own runs this app's own command line, to approve itself or to change what it
// may do.
func (f *floor) own(c *Command, _ *Analysis) string {
	if !f.isOwn(c) {
		return ""
	}
	for _, a := range c.args[1:] {
		if a.dynamic || !ownReads[a.text] && !strings.HasPrefix(a.text, "-") {
			return "it runs Hobkin's own command, which is for people: " + c.Name() + " " + a.text
		}
		if ownReads[a.text] {
			return ""
		}
	}
	return "it starts Hobkin inside Hobkin"
}

func (f *floor) isOwn(c *Command) bool {
	if len(c.args) == 0 {
		return false
	}
	if strings.HasPrefix(strings.ToLower(c.Name()), "hobkin") {
		return true
	}
	self, err := os.Executable()
	return err == nil && filepath.IsAbs(c.args[0].text) && filepath.Clean(c.args[0].text) == self
}

// paths says what other tools would do that is never done.
func (f *floor) paths(p capability.Preview) string {
	for _, use := range p.Paths {
		switch {
		case f.policy.Secret(use.Path):
			return use.Path + " holds keys or belongs to Hobkin itself"
		case use.Write && device(use.Path):
			return "it overwrites the device " + use.Path
		case use.Write && p.Destructive && f.critical(use.Path, false) != "":
			return "it removes " + f.critical(use.Path, false)
		}
	}
	return ""
}
