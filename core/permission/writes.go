package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/sandbox"
)

// A writer is a program that writes to files named in its words.
type writer struct {
	last    bool     // the last operand is written to, when there are two or more
	all     bool     // every operand is
	skip    int      // operands before those, such as a mode or a script
	options []string // options whose value is a file, or a folder, that is written to
	when    string   // it writes to its operands only with one of these short options
	flags   []string // or with one of these long ones
}

var writers = map[string]writer{
	"cp": {last: true, options: []string{"-t", "--target-directory"}}, "mv": {last: true, options: []string{"-t", "--target-directory"}}, "install": {last: true, options: []string{"-t", "--target-directory"}},
	"ln": {last: true, options: []string{"-t", "--target-directory"}}, "rsync": {last: true}, "scp": {last: true}, "link": {last: true},
	"tee": {all: true}, "sponge": {all: true}, "touch": {all: true}, "truncate": {all: true}, "mkdir": {all: true}, "mkfifo": {all: true}, "mknod": {all: true}, "shred": {all: true}, "rm": {all: true},
	"rmdir": {all: true}, "unlink": {all: true}, "trash": {all: true}, "chmod": {all: true, skip: 1}, "chown": {all: true, skip: 1}, "chgrp": {all: true, skip: 1}, "chattr": {all: true, skip: 1}, "setfacl": {all: true},
	"sed": {all: true, when: "i", flags: []string{"--in-place"}}, "gsed": {all: true, when: "i", flags: []string{"--in-place"}}, "perl": {all: true, when: "i"}, "ruby": {all: true, when: "i"},
	"awk": {all: true, flags: []string{"inplace"}}, "gawk": {all: true, flags: []string{"inplace"}}, "sort": {options: []string{"-o", "--output"}}, "uniq": {last: true}, "xxd": {last: true},
	"curl": {options: []string{"-o", "--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--stderr"}},
	"wget": {options: []string{"-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file", "-a", "--append-output"}}, "aria2c": {options: []string{"-o", "--out", "-d", "--dir"}},
	"tar": {options: []string{"-C", "--directory", "-f", "--file", "--one-top-level"}}, "bsdtar": {options: []string{"-C", "-f"}}, "unzip": {options: []string{"-d"}}, "zip": {all: true}, "7z": {options: []string{"-o"}}, "cpio": {options: []string{"-D", "-F"}},
	"gzip": {all: true}, "gunzip": {all: true}, "xz": {all: true}, "bzip2": {all: true}, "split": {last: true}, "csplit": {options: []string{"-f", "--prefix"}},
	"gcc": {options: []string{"-o"}}, "cc": {options: []string{"-o"}}, "clang": {options: []string{"-o"}}, "g++": {options: []string{"-o"}}, "rustc": {options: []string{"-o", "--out-dir"}}, "go": {options: []string{"-o"}}, "ld": {options: []string{"-o"}},
	"gpg": {options: []string{"-o", "--output"}}, "openssl": {options: []string{"-out", "-keyout"}}, "age": {options: []string{"-o", "--output"}}, "ssh-keygen": {options: []string{"-f"}}, "base64": {options: []string{"-o", "--output"}},
	"pandoc": {options: []string{"-o", "--output"}}, "convert": {last: true}, "magick": {last: true}, "ffmpeg": {last: true}, "yt-dlp": {options: []string{"-o", "--output", "-P", "--paths"}}, "jq": {}, "patch": {all: true, options: []string{"-o", "--output", "-d", "--directory"}},
	"tree": {options: []string{"-o"}}, "script": {all: true}, "ed": {all: true}, "ex": {all: true}, "vim": {all: true}, "vi": {all: true}, "nvim": {all: true}, "nano": {all: true}, "emacs": {all: true},
	"git": {options: []string{"--output", "--work-tree", "--git-dir", "--separate-git-dir", "-o", "--output-directory"}}, "time": {options: []string{"-o", "--output"}}, "strace": {options: []string{"-o"}}, "crudini": {all: true, skip: 1}, "ini-file": {all: true},
	"sqlite3": {all: true}, "tsc": {options: []string{"--outDir", "--outFile"}}, "pip": {options: []string{"-t", "--target", "--prefix", "--root"}}, "pip3": {options: []string{"-t", "--target", "--prefix", "--root"}}, "npm": {options: []string{"--prefix"}},
	"screen": {options: []string{"-Logfile"}}, "wipe": {all: true}, "dconf": {}, "xz-utils": {}, "lz4": {last: true}, "zstd": {options: []string{"-o"}}, "b2sum": {},
}

// writesTo are the absolute places that a command writes to, by redirection and
// by its words, as far as its program is known.
func (f *floor) writesTo(c *Command) []string {
	var out []string
	addPlaces := func(words ...arg) {
		for _, w := range words {
			if w.text == "-" || w.text == "" || isSink(w.text) {
				continue
			}
			for _, p := range f.places(c, w) {
				if !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	for _, w := range c.Writes {
		addPlaces(arg{text: w, shown: w})
	}
	if len(c.args) == 0 {
		return out
	}
	for _, a := range c.args[1:] {
		if of, ok := strings.CutPrefix(a.text, "of="); ok && c.Name() == "dd" {
			addPlaces(arg{text: of, shown: a.shown, dynamic: a.dynamic})
		}
	}
	if w, ok := writers[c.Name()]; ok {
		addPlaces(w.words(c.args[1:])...)
	}
	return out
}

// words are those that name what is written to.
func (w writer) words(args []arg) []arg {
	out, rest := w.optionValues(args)
	asked := w.when == "" && w.flags == nil
	for _, a := range args {
		short := strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--")
		asked = asked || w.when != "" && short && strings.ContainsAny(a.text, w.when) ||
			slices.ContainsFunc(w.flags, func(f string) bool { return strings.HasPrefix(a.text, f) })
	}
	operands := targets(rest)
	operands = operands[min(w.skip, len(operands)):]
	switch {
	case !asked:
	case w.all:
		out = append(out, operands...)
	case w.last && len(operands) > 1:
		out = append(out, operands[len(operands)-1])
	}
	return out
}

// optionValues are the values of the options that name a file, and the words
// without them.
func (w writer) optionValues(args []arg) (values, rest []arg) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		taken := false
		for _, o := range w.options {
			value, joined := strings.CutPrefix(a.text, o)
			switch {
			case a.text == o && i+1 < len(args):
				i++
				values, taken = append(values, args[i]), true
			case joined && strings.HasPrefix(o, "--") && strings.HasPrefix(value, "="):
				values, taken = append(values, arg{text: value[1:], shown: a.shown, dynamic: a.dynamic}), true
			case joined && len(o) == 2 && value != "":
				values, taken = append(values, arg{text: value, shown: a.shown, dynamic: a.dynamic}), true
			}
			if taken {
				break
			}
		}
		if !taken {
			rest = append(rest, a)
		}
	}
	return values, rest
}

// startPlaces are paths below the home that are run, or read as orders, without
// anyone asking for it: at login, when a shell or a program starts.
var startPlaces = strings.Fields(`.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .inputrc .xprofile .xinitrc
	.xsession .xsessionrc .Xresources .pam_environment .vimrc .vim .gvimrc .emacs .emacs.d .nanorc .screenrc .tmux.conf .gitconfig .npmrc .yarnrc .pip .Rprofile .pythonrc .pythonrc.py .gdbinit .lldbinit .curlrc .wgetrc
	.cargo/config .cargo/config.toml .m2/settings.xml .gradle/init.gradle .gradle/init.d .config .local/bin .local/share/applications .local/share/systemd .local/share/dbus-1 .local/share/nautilus
	.local/share/kio .local/share/gnome-shell .local/share/plasma bin .vscode .idea .direnvrc Library/LaunchAgents Library/Preferences .mozilla .oh-my-zsh .nvm .pyenv .rbenv .asdf .sdkman`)

// systemStarts are such places outside the home.
var systemStarts = []string{"/etc", "/var/spool/cron", "/usr/local/bin", "/usr/local/sbin", "/usr/bin", "/usr/sbin", "/bin", "/sbin", "/lib/systemd", "/usr/lib/systemd", "/Library/LaunchAgents", "/Library/LaunchDaemons", "/boot"}

// starts says what runs by itself at a place; empty when nothing does. Inside a
// root, the names that editors and tools act on count too.
func (f *floor) starts(abs string) string {
	for _, p := range startPlaces {
		if at := filepath.Join(f.home, p); abs == at || inside(at, abs) {
			return at
		}
	}
	for _, at := range systemStarts {
		if abs == at || inside(at, abs) {
			return abs
		}
	}
	root := ""
	for _, r := range f.allowed() {
		if inside(r, abs) && len(r) > len(root) {
			root = r
		}
	}
	if root == "" {
		return ""
	}
	for part := range strings.SplitSeq(filepath.ToSlash(strings.TrimPrefix(abs, root)), "/") {
		if startFiles[strings.ToLower(part)] {
			return abs
		}
	}
	return ""
}

// planners make commands run later or at every start.
var planners = map[string][]string{
	"crontab": {"-e", "-r", "-", ""}, "at": {""}, "batch": {""}, "anacron": {""}, "launchctl": {"load", "bootstrap", "enable", "submit", "kickstart"}, "schtasks": {""}, "update-rc.d": {""}, "chkconfig": {""},
	"systemctl": {"enable", "link", "edit", "daemon-reload", "set-default", "preset", "unmask"}, "loginctl": {"enable-linger"}, "systemd-run": {""}, "gsettings": {"set"}, "dconf": {"write", "load"}, "update-alternatives": {"--install", "--set"},
	"chsh": {""}, "git": {"config"}, "xdg-mime": {"default"}, "xdg-settings": {"set"}, "nvram": {""}, "defaults": {"write"}, "login-items": {""},
}

// plans says that a command sets up something that runs later by itself.
func (c *Command) plans() bool {
	words, ok := planners[c.Name()]
	if !ok {
		return false
	}
	if c.Name() == "crontab" {
		return !slices.ContainsFunc(c.args[1:], func(a arg) bool { return a.text == "-l" })
	}
	if slices.Contains(words, "") {
		return true
	}
	operand := targets(c.args[1:])
	return len(operand) > 0 && slices.Contains(words, operand[0].text) || slices.ContainsFunc(c.args[1:], func(a arg) bool { return strings.HasPrefix(a.text, "--") && slices.Contains(words, a.text) })
}

// warnWrites points out, for the person who is asked, what a line writes that
// is more than it seems: places that are run by themselves, and places outside
// the folders the agent works in.
func (s *subject) warnWrites() {
	for i := range s.line.Commands {
		c := &s.line.Commands[i]
		if c.plans() {
			s.line.warn("It sets up something that runs later by itself (%s).", c.Name())
		}
		for _, place := range s.floor.writesTo(c) {
			switch {
			case s.floor.starts(place) != "":
				s.line.warn("It changes %s, which is run or obeyed without anyone asking.", place)
			case !s.mayWrite(place):
				s.line.warn("It writes outside your folders: %s.", place)
			}
		}
	}
}

// mayWrite reports whether a place lies where the agent may change files.
func (s *subject) mayWrite(place string) bool {
	_, err := s.policy.Try(s.call.Turn, place, sandbox.Write)
	return err == nil
}

// writesCovered reports whether all that a command writes to, beyond what its
// words say in the pattern of a rule, is fine: a redirection needs a rule for
// its path, and so does every place that is run by itself. A place outside the
// roots needs one too, or a rule that holds the very words of the command.
func (s *subject) writesCovered(c *Command, fit []pattern) bool {
	byPath := func(place string) bool {
		return slices.ContainsFunc(fit, func(p pattern) bool { return p.kind == matchPath && s.pathFits(p, place, false) })
	}
	for _, w := range c.Writes {
		if isSink(w) {
			continue
		}
		places := s.floor.places(c, arg{text: w, shown: w})
		if len(places) == 0 || !filepath.IsAbs(w) && len(c.Dirs) != 1 || slices.ContainsFunc(places, func(p string) bool { return !byPath(p) }) {
			return false
		}
	}
	if c.plans() {
		return false
	}
	exact := slices.ContainsFunc(fit, func(p pattern) bool { return p.exact() && p.allows(c) })
	for _, place := range s.floor.writesTo(c) {
		if (s.floor.starts(place) != "" || !s.mayWrite(place) && !exact) && !byPath(place) {
			return false
		}
	}
	return true
}

// exact reports whether a command pattern fits one spelling of words alone.
func (p pattern) exact() bool {
	return p.kind == matchCommand && !p.open && !slices.ContainsFunc(p.argv, func(w string) bool { return strings.Contains(w, "*") })
}

// fileTargets are all places that a line writes to.
func (s *subject) fileTargets(a *Analysis) []string {
	var out []string
	for i := range a.Commands {
		out = append(out, s.floor.writesTo(&a.Commands[i])...)
	}
	return out
}
