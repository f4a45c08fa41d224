package permission

import (
	"maps"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/lazy"
)

// systemReads are programs that tell about the machine, and what they may be
// given so that they do no more than that.
var systemReads = map[string]tame{
	"w": {}, "who": {}, "users": {}, "last": {}, "pidof": {}, "pstree": {}, "lsmod": {}, "findmnt": {}, "vmstat": {}, "mpstat": {}, "iostat": {}, "netstat": {}, "pdfinfo": {}, "zipinfo": {},
	"iconv": {bad: "o", long: []string{"output"}}, "sdiff": {bad: "o", long: []string{"output", "diff-program"}}, "sensors": {bad: "sc", long: []string{"set", "config-file"}},
	"dmesg": {bad: "cCDEn", long: []string{"clear", "read-clear", "console-off", "console-on", "console-level"}}, "ss": {bad: "KDF", long: []string{"kill", "diag", "filter"}}, "lsof": {bad: "Dm", long: []string{"D"}},
	"mount": {check: words("", "-l")}, "umask": {check: words("", "-S")}, "ulimit": {check: words("-a", "-n", "-Sa", "-Ha")}, "crontab": {check: words("-l")}, "nvidia-smi": {check: words("", "-L", "-q")},
	"ifconfig": {most: 1, check: words("", "-a", "lo", "eth0", "en0", "wlan0")}, "top": {check: onceOnly}, "ip": {check: ipShows},
	"timedatectl": {check: words("", "status", "show", "list-timezones")}, "hostnamectl": {check: words("", "status")}, "localectl": {check: words("", "status")}, "loginctl": {check: words("", "list-sessions", "list-users")},
	"systemctl":  {bad: "HM", long: []string{"host", "machine", "root", "image"}, check: subcommand("status", "list-units", "list-unit-files", "list-timers", "list-sockets", "list-dependencies", "is-active", "is-enabled", "is-failed", "cat", "show", "help", "get-default")},
	"journalctl": {bad: "MD", long: []string{"vacuum-size", "vacuum-time", "vacuum-files", "rotate", "flush", "sync", "relinquish-var", "smart-relinquish-var", "setup-keys", "update-catalog", "cursor-file", "root", "image", "namespace", "interval", "force"}},
	"dpkg":       {check: firstOption("-l", "--list", "-L", "--listfiles", "-s", "--status", "-S", "--search", "--get-selections", "--print-architecture", "--version")}, "rpm": {check: firstOption("-qa", "-q", "-qi", "-ql", "-qf", "--version")},
	"apt": {check: onlyOptions([]string{"list", "search", "show"}, "--installed", "--upgradable", "-a", "--all-versions", "--version")}, "apt-cache": {check: onlyOptions([]string{"policy", "search", "show", "depends", "rdepends", "madison", "pkgnames"})},
	"snap": {check: words("list", "version")}, "flatpak": {check: words("list", "--version", "remotes")}, "brew": {check: words("list", "--version", "leaves")},
	"unzip": {check: firstOption("-l", "-v", "-Z", "-Z1", "-t")}, "xmllint": {check: localOnly(firstOption("--noout"))}, "yq": {bad: "is", long: []string{"inplace", "in-place", "split-exp", "split-exp-file", "from-file"}, check: tameYq},
	"npm": {check: words("--version", "-v", "ls", "list", "ls --depth=0", "list --depth=0")}, "pip": {check: pipReads}, "pip3": {check: pipReads},
	"docker": {check: onlyOptions([]string{"ps", "images", "version", "info", "logs", "volume ls", "network ls", "container ls", "image ls", "compose ps", "compose ls", "stats"}, "-a", "--all", "-q", "--no-stream", "--tail", "-n", "--no-trunc", "--version", "-f", "-t", "--since")},
	"podman": {check: onlyOptions([]string{"ps", "images", "version", "info", "logs", "volume ls", "network ls"}, "-a", "--all", "-q", "--no-stream", "--tail", "-n", "--no-trunc", "--version")},
}

// everyTame are all commands that only read.
func everyTame(files map[string]tame) map[string]tame {
	maps.Copy(files, systemReads)
	return files
}

// subcommand allows these first operands, and none at all.
func subcommand(names ...string) func([]arg) bool {
	return func(args []arg) bool {
		operand := targets(args)
		return len(operand) == 0 || slices.Contains(names, operand[0].text)
	}
}

// firstOption demands that the first word is one of these, and that no other
// word is an option.
func firstOption(names ...string) func([]arg) bool {
	return func(args []arg) bool {
		return len(args) > 0 && slices.Contains(names, args[0].text) && len(targets(args[1:])) == len(args)-1
	}
}

// localOnly also demands that no word is an address.
func localOnly(check func([]arg) bool) func([]arg) bool {
	return func(args []arg) bool {
		return check(args) && !slices.ContainsFunc(args, func(a arg) bool { return strings.Contains(a.text, "://") })
	}
}

// onlyOptions allows these subcommands, of one word or two, and no options but
// these.
func onlyOptions(subs []string, options ...string) func([]arg) bool {
	return func(args []arg) bool {
		for _, a := range args {
			name, _, _ := strings.Cut(a.text, "=")
			if strings.HasPrefix(a.text, "-") && !slices.Contains(options, name) {
				return false
			}
		}
		operand := targets(args)
		if len(operand) == 0 {
			return len(args) > 0 // such as --version
		}
		one := operand[0].text
		return slices.Contains(subs, one) || len(operand) > 1 && slices.Contains(subs, one+" "+operand[1].text)
	}
}

// onceOnly is top that prints and ends.
func onceOnly(args []arg) bool {
	return len(targets(args)) <= 1 && slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.text, "-") && strings.Contains(a.text, "b") })
}

// ipObjects are what ip tells about.
var ipObjects = set("a", "addr", "address", "l", "link", "r", "route", "n", "neigh", "rule", "maddress")

// ipShows is ip that only shows. Its options are counted out: -b reads commands
// from a file.
func ipShows(args []arg) bool {
	for _, a := range args {
		if strings.HasPrefix(a.text, "-") && !slices.Contains([]string{"-br", "-brief", "-4", "-6", "-s", "-d", "-j", "-json", "-o", "-c", "-color", "-p", "-h"}, a.text) {
			return false
		}
	}
	operand := targets(args)
	return len(operand) > 0 && ipObjects[operand[0].text] && (len(operand) == 1 || slices.Contains([]string{"show", "sh", "s", "list", "ls", "get"}, operand[1].text))
}

// pipReads is pip that lists what is installed.
func pipReads(args []arg) bool {
	switch joined(args) {
	case "--version", "-V", "list", "freeze":
		return true
	}
	return len(args) > 1 && args[0].text == "show" && len(targets(args)) == len(args)
}

// tameYq keeps out what reads other files or variables.
func tameYq(args []arg) bool {
	return !slices.ContainsFunc(args, func(a arg) bool { return strings.Contains(a.text, "load") || strings.Contains(a.text, "env") })
}

// gitConfigNames are settings of git that hold no keys.
var gitConfigNames = lazy.Regexp(`^(user\.(name|email)|init\.defaultbranch|core\.(editor|autocrlf|filemode|ignorecase|eol)|pull\.(rebase|ff)|push\.default|branch\.[\w./-]+\.(remote|merge))$`)

// gitConfigReads is git config that reads one harmless setting.
func gitConfigReads(rest []arg) bool {
	if len(rest) == 2 && (rest[0].text == "--get" || rest[0].text == "get") {
		rest = rest[1:]
	}
	return len(rest) == 1 && gitConfigNames().MatchString(strings.ToLower(rest[0].text))
}

// comparing matches awk programs in which > can be told to be a comparison:
// no strings and no patterns, in which a brace could hide.
var comparing = lazy.Regexp(`^[^"'/\\\n]*$`)

// awkCompares reports whether every > of an awk program compares. In the same
// statement as print it would write to a file.
func awkCompares(program string) bool {
	if !comparing().MatchString(program) {
		return false
	}
	for part := range strings.FieldsFuncSeq(program, func(r rune) bool { return strings.ContainsRune("{};", r) }) {
		if strings.Contains(part, ">") && strings.Contains(part, "print") {
			return false
		}
	}
	return true
}
