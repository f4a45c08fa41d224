package permission

import (
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/lazy"
)

// A tame command only reads, with the exceptions that its entry names. The
// table is used to let lines run by themselves in auto mode, so it errs on the
// side of asking: an option that merely might be one of the bad ones asks.
type tame struct {
	bad   string             // short options that do more than read
	long  []string           // long options that do more; every abbreviation counts
	most  int                // most operands; 0 means any number
	check func(a []arg) bool // the last word on the arguments; nil agrees
	wild  bool               // a wildcard at the start of a word is fine: no file name can be a bad option
}

var anyOption = tame{wild: true}

// tameCommands are the commands that only read.
var tameCommands = func() map[string]tame {
	m := map[string]tame{
		"sort": {bad: "oT", long: []string{"output", "compress-program", "temporary-directory", "files0-from"}},
		"uniq": {most: 1}, "xxd": {bad: "r", most: 1}, "tree": {bad: "oR", long: []string{"output"}}, "base64": {bad: "o", long: []string{"output"}}, "base32": {},
		"hostname": {bad: "Fb", long: []string{"file", "boot"}, most: -1}, "date": {bad: "sf", long: []string{"set", "file"}, check: onlyFormats},
		"file": {bad: "C", long: []string{"compile"}}, "less": {check: never}, "rg": {long: []string{"pre", "pre-glob", "hostname-bin", "search-zip"}, bad: "z"},
		"fd": {bad: "xX", long: []string{"exec", "exec-batch"}}, "fdfind": {bad: "xX", long: []string{"exec", "exec-batch"}},
		"find": {check: tameFind}, "gfind": {check: tameFind}, "sed": {check: tameSed}, "awk": {check: tameAwk}, "gawk": {check: tameAwk}, "mawk": {check: tameAwk},
		"jq": {bad: "f", long: []string{"from-file"}}, "git": {check: tameGit}, "go": {check: words("version", "env GOROOT", "env GOPATH", "env GOVERSION", "env")},
		"cargo": {check: words("--version", "-V")}, "node": {check: words("--version", "-v")},
		"python": {check: words("--version", "-V")}, "python3": {check: words("--version", "-V")}, "rustc": {check: words("--version", "-V")},
		"java": {check: words("-version", "--version")}, "make": {check: words("--version", "-v")},
		"gcc":    {check: words("--version")},
		"printf": {check: plainPrintf}, "command": {check: lookup}, "cd": {most: 1}, "pushd": {most: 1}, "popd": {}, "set": {check: plainSet}, "test": {bad: "vR"}, "[": {bad: "vR"},
		"diff": {}, "tail": {}, "ps": {check: noEnvironment},
	}
	for name := range strings.FieldsSeq(`pwd ls cat head wc stat du df basename dirname realpath readlink echo true false : which whoami id groups
		uname uptime free cal nproc arch lscpu lsblk lsusb lspci pgrep cmp comm cut tr fold fmt nl tac rev column paste join expand unexpand sum cksum
		md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum od hexdump strings seq sleep grep egrep fgrep type exit return break continue wait
		getconf locale tty numfmt factor tsort pathchk zcat xzcat bzcat zgrep`) {
		m[name] = anyOption
	}
	return everyTame(m)
}()

// harmless reports whether the whole line only reads, and why not.
func (a *Analysis) harmless() (ok bool, why string) {
	switch {
	case a.Unknown:
		return false, first(a.Reasons)
	case len(a.Notes) > 0:
		return false, "the command " + first(a.Notes)
	case len(a.Commands) == 0:
		return false, "there is no command in it"
	}
	for i := range a.Commands {
		if why := a.Commands[i].harm(); why != "" {
			return false, why
		}
	}
	return true, ""
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// harm says why a command may do more than read; empty when it only reads.
func (c *Command) harm() string {
	if len(c.args) == 0 {
		return "there is no command in it"
	}
	for _, w := range c.Writes {
		if !isSink(w) {
			return "it writes to " + w
		}
	}
	for _, f := range c.Reads {
		if strings.HasPrefix(f, "/dev/tcp/") || strings.HasPrefix(f, "/dev/udp/") {
			return "it reads from the network"
		}
	}
	t, ok := tameCommands[c.args[0].text]
	if !ok {
		return c.Name() + " is not known to be harmless"
	}
	if len(c.Via) > 0 && !tameVia(c.Via) {
		return "it runs through " + strings.Join(c.Via, ", ")
	}
	args := c.args[1:]
	if c.args[0].text == "echo" {
		args = slices.DeleteFunc(slices.Clone(args), func(a arg) bool { return a.dynamic && plainVariables().MatchString(a.shown) })
	}
	if !t.fits(args) {
		return c.Name() + " may do more than read with these words"
	}
	return ""
}

// plainVariables matches words of text and variables alone: echo may print any.
var plainVariables = lazy.Regexp("^\"?[^$`\"]*(\\$(\\w+|\\{\\w+\\})[^$`\"]*)+\"?$")

// tameVia reports whether wrappers add nothing to what a command does.
func tameVia(via []string) bool {
	for _, v := range via {
		if v != "command" && v != "builtin" && v != "xargs" && v != "find" && v != "timeout" && v != "nice" {
			return false
		}
	}
	return true
}

// fits reports whether the arguments stay within what only reads.
func (t tame) fits(args []arg) bool {
	operands, options := 0, true
	for _, a := range args {
		switch {
		case a.dynamic, a.glob && !t.wild && strings.IndexByte("*?[", a.text[0]) >= 0:
			return false // what is not known, or a file named like an option, may be one
		case options && a.text == "--":
			options = false
		case options && len(a.text) > 1 && a.text[0] == '-':
			if t.forbids(a.text) {
				return false
			}
		default:
			operands++
		}
	}
	return t.takes(operands) && (t.check == nil || t.check(args))
}

func (t tame) takes(operands int) bool {
	return t.most == 0 || operands <= max(0, t.most)
}

func (t tame) forbids(option string) bool {
	name, isLong := strings.CutPrefix(option, "--")
	if isLong {
		name, _, _ = strings.Cut(name, "=")
		return name != "" && slices.ContainsFunc(t.long, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	return strings.ContainsAny(option, t.bad)
}

// isSink reports whether writing to a path changes nothing.
func isSink(path string) bool {
	return path == "/dev/null" || path == "/dev/stdout" || path == "/dev/stderr"
}

func never([]arg) bool { return false }

// words allows just these arguments.
func words(lines ...string) func([]arg) bool {
	return func(args []arg) bool { return slices.Contains(lines, joined(args)) }
}

func onlyFormats(args []arg) bool {
	for i, a := range args {
		option := strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "+")
		value := i > 0 && slices.Contains([]string{"-d", "-r", "--date", "--reference"}, args[i-1].text)
		if !option && !value {
			return false
		}
	}
	return true
}

func plainPrintf(args []arg) bool { return len(args) > 0 && !strings.HasPrefix(args[0].text, "-v") }

func lookup(args []arg) bool {
	return len(args) > 1 && (args[0].text == "-v" || args[0].text == "-V")
}

func plainSet(args []arg) bool { return len(args) > 0 }

// noEnvironment refuses ps with the environment of processes, which holds keys.
func noEnvironment(args []arg) bool {
	return !slices.ContainsFunc(args, func(a arg) bool {
		dash := strings.HasPrefix(a.text, "-")
		return !dash && strings.Contains(a.text, "e") || dash && strings.Contains(a.text, "E") || strings.Contains(a.text, "env")
	})
}

// findTests are the words of find that only look.
var findTests = set("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-regextype", "-type", "-xtype", "-size", "-mtime", "-atime", "-ctime",
	"-mmin", "-amin", "-cmin", "-newer", "-anewer", "-cnewer", "-user", "-group", "-uid", "-gid", "-nouser", "-nogroup", "-perm", "-empty", "-readable", "-writable", "-executable",
	"-links", "-inum", "-samefile", "-lname", "-ilname", "-fstype", "-used", "-true", "-false", "-maxdepth", "-mindepth", "-depth", "-d", "-mount", "-xdev", "-follow", "-daystart",
	"-noleaf", "-prune", "-quit", "-print", "-print0", "-printf", "-ls", "-not", "-and", "-or", "-a", "-o", "-L", "-P", "-H", "-newermt", "-newerct", "-E", "-s", "-x")

func tameFind(args []arg) bool {
	for _, a := range args {
		if len(a.text) > 1 && a.text[0] == '-' && !findTests[a.text] && !isNumber(a.text[1:]) {
			return false
		}
	}
	return true
}

func isNumber(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// sedLine matches the sed scripts that only print, delete or replace in what
// is printed: no e, w, r, and no flag that runs or writes.
var sedLine = lazy.Regexp(`^\s*((\d+|\$|/[^/\n;]*/)(,(\d+|\$|\+\d+|/[^/\n;]*/))?!?\s*)?([pdq=]|s/[^/\n]*/[^/\n]*/[gpiI0-9]*|s\|[^|\n]*\|[^|\n]*\|[gpiI0-9]*|s#[^#\n]*#[^#\n]*#[gpiI0-9]*|s,[^,\n]*,[^,\n]*,[gpiI0-9]*)?\s*$`)

func tameSed(args []arg) bool {
	scripts, seen := []string{}, false
	for i := 0; i < len(args); i++ {
		switch o := args[i].text; {
		case o == "-e" || o == "--expression":
			if i++; i < len(args) {
				scripts, seen = append(scripts, args[i].text), true
			}
		case strings.HasPrefix(o, "--expression="):
			scripts, seen = append(scripts, strings.TrimPrefix(o, "--expression=")), true
		case slices.Contains([]string{"-n", "-E", "-r", "-z", "-u", "-s", "-nE", "-nr", "-En", "-rn", "--quiet", "--silent", "--regexp-extended"}, o):
		case strings.HasPrefix(o, "-"):
			return false
		case !seen:
			scripts, seen = append(scripts, o), true
		}
	}
	for _, s := range scripts {
		for part := range strings.SplitSeq(s, ";") {
			if !sedLine().MatchString(part) {
				return false
			}
		}
	}
	return seen
}

// awkBad is what makes an awk program more than a filter.
var awkBad = lazy.Regexp("system|getline|[|@`]|ENVIRON|close|fflush|include|load")

func tameAwk(args []arg) bool {
	for i := 0; i < len(args); i++ {
		o := args[i].text
		switch {
		case o == "-F" || o == "-v":
			i++
		case strings.HasPrefix(o, "-F"):
		case strings.HasPrefix(o, "-"):
			return false
		default:
			return !awkBad().MatchString(o) && !args[i].glob && (!strings.Contains(o, ">") || awkCompares(o))
		}
	}
	return false
}
