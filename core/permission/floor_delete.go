package permission

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/sandbox"
)

// deletes removes, moves away or locks up the home, a root or a protected path
// with all that is in it.
func (f *floor) deletes(c *Command, a *Analysis) string {
	args := c.args[min(1, len(c.args)):]
	switch strings.ToLower(c.Name()) {
	case "rm":
		if recursive(args, "rR", "recursive") {
			return f.removes(c, a, targets(args), "deletes")
		}
	case "shred", "srm", "wipe", "rimraf", "trash", "trash-put", "rmtrash", "unlink", "rd", "deltree":
		return f.removes(c, a, targets(args), "deletes")
	case "mv":
		return f.moves(c, a, args)
	case "chmod", "chown", "chgrp", "chattr", "setfacl":
		if recursive(args, "R", "recursive") {
			return f.locks(c, targets(args))
		}
	case "find", "gfind":
		return f.findDeletes(c, a, args)
	case "git":
		return f.gitCleans(c, a, args)
	}
	return f.deletesOnAsking(c, a, args)
}

// moves takes the sources of mv away from where they are.
func (f *floor) moves(c *Command, a *Analysis, args []arg) string {
	t := targets(args)
	into := slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.text, "-t") || strings.HasPrefix(a.text, "--target") })
	if !into && len(t) > 0 {
		t = t[:len(t)-1]
	}
	return f.removes(c, a, t, "moves away")
}

// deletesOnAsking is for programs that delete with some option or word only.
func (f *floor) deletesOnAsking(c *Command, a *Analysis, args []arg) string {
	asks, t := false, targets(args)
	has := func(fits func(string) bool) bool {
		return slices.ContainsFunc(args, func(a arg) bool { return fits(a.text) })
	}
	switch strings.ToLower(c.Name()) {
	case "gio", "kioclient", "kioclient5":
		asks = len(t) > 1 && slices.Contains([]string{"trash", "remove", "move"}, t[0].text)
		t = t[min(1, len(t)):]
	case "rsync", "rclone":
		asks = has(func(o string) bool { return strings.HasPrefix(o, "--del") || o == "sync" || o == "purge" })
		t = t[max(0, len(t)-1):]
	case "tar", "7z":
		asks = has(func(o string) bool { return strings.HasPrefix(o, "--remove-f") || o == "-sdel" })
	case "zip":
		asks = has(func(o string) bool { return strings.HasPrefix(o, "-m") || o == "--move" })
	}
	if !asks {
		return ""
	}
	return f.removes(c, a, t, "deletes")
}

// recursive reports whether an option that means "with all that is in it" is
// among the arguments. One that is not known before it runs may be it.
func recursive(args []arg, letters, long string) bool {
	for _, a := range args {
		switch {
		case a.text == "--":
			return false
		case strings.HasPrefix(a.text, "--"):
			if len(a.text) > 2 && strings.HasPrefix(long, strings.TrimPrefix(a.text, "--")) {
				return true
			}
		case strings.HasPrefix(a.text, "-") && strings.ContainsAny(a.text, letters), a.dynamic && strings.HasPrefix(a.text, unknownText):
			return true
		}
	}
	return false
}

// targets are the words that are no options.
func targets(args []arg) []arg {
	var out []arg
	options := true
	for _, a := range args {
		switch {
		case options && a.text == "--":
			options = false
		case options && strings.HasPrefix(a.text, "-") && len(a.text) > 1:
		default:
			out = append(out, a)
		}
	}
	return out
}

// removes checks each target of a command that takes whole trees away.
func (f *floor) removes(c *Command, a *Analysis, list []arg, verb string) string {
	for _, t := range list {
		if a != nil && t.dynamic {
			f.warnIfEmpty(c, a, t, verb)
		}
		if c.Dirs == nil && !filepath.IsAbs(t.text) && a != nil {
			a.warn("It %s %s in a folder that is not known before it runs.", verb, t.show())
		}
		for _, place := range f.places(c, t) {
			if what := f.criticalPattern(place, t.glob); what != "" {
				return fmt.Sprintf("it %s %s", verb, what)
			}
		}
	}
	return ""
}

// warnIfEmpty points out what is removed when a variable is empty.
func (f *floor) warnIfEmpty(c *Command, a *Analysis, t arg, verb string) {
	t.text = strings.ReplaceAll(t.text, unknownText, "")
	if t.text == "" {
		return
	}
	for _, place := range f.places(c, t) {
		if what := f.criticalPattern(place, t.glob); what != "" {
			a.warn("If %s is empty, it %s %s.", t.shown, verb, what)
		}
	}
}

// places are the absolute spellings of a word as a path: as written, and with
// the links on its way followed.
func (f *floor) places(c *Command, t arg) []string {
	written := t.text
	if strings.HasPrefix(written, "~") && !t.dynamic { // a quoted ~; some programs expand it all the same
		if rest, ok := strings.CutPrefix(written, "~/"); ok || written == "~" {
			written = filepath.Join(f.home, strings.TrimPrefix(rest, "~"))
		}
	}
	var out []string
	add := func(p string) {
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	bases := c.Dirs
	if filepath.IsAbs(written) {
		bases = []string{"/"}
	}
	for _, dir := range bases {
		whole := written
		if !filepath.IsAbs(written) {
			whole = dir + "/" + written
		}
		add(filepath.Clean(whole))
		fixed, rest := splitPattern(whole, t.glob)
		if rest == "" && !strings.HasSuffix(whole, "/") && !strings.HasSuffix(whole, "/.") { // a link at the end is removed itself
			fixed, rest = filepath.Split(filepath.Clean(whole))
		}
		add(filepath.Join(f.policy.Resolve(f.turn, fixed), rest))
	}
	return out
}

// splitPattern cuts a path before the first part with a wildcard.
func splitPattern(p string, glob bool) (fixed, rest string) {
	if !glob {
		return p, ""
	}
	i := strings.IndexAny(p, "*?[")
	if i < 0 {
		return p, ""
	}
	cut := strings.LastIndexByte(p[:i], '/') + 1
	return p[:cut], p[cut:]
}

// critical says what abs is when it must not be removed as a whole; contents
// asks about all that is in it instead.
func (f *floor) critical(abs string, contents bool) string {
	switch {
	case filepath.Dir(abs) == abs:
		return "the whole disk"
	case abs == f.home:
		return "the home folder"
	case inside(abs, f.home):
		return abs + ", which holds the home folder"
	case contents && (abs == "/tmp" || abs == "/var/tmp"):
		return ""
	case f.policy.Hidden(abs):
		return abs + ", which is protected"
	case !contents && slices.Contains(f.allowed(), abs):
		return abs + ", a folder that Hobkin works in, as a whole"
	}
	if _, err := f.policy.CheckGrant(abs); errors.Is(err, sandbox.TooWide) {
		return abs + ", which holds everyone's files"
	}
	for _, s := range f.policy.Secrets() {
		if inside(abs, s) {
			if _, err := os.Lstat(s); err == nil {
				return abs + ", which holds " + s
			}
		}
	}
	return ""
}

// inside reports whether deep lies in abs, whatever the case of the letters.
func inside(abs, deep string) bool {
	abs = strings.TrimSuffix(abs, "/") + "/"
	return len(deep) > len(abs) && strings.EqualFold(deep[:len(abs)], abs)
}

// criticalPattern is critical for a path that may hold wildcards.
func (f *floor) criticalPattern(p string, glob bool) string {
	if !glob {
		return f.critical(p, false)
	}
	fixed, rest := splitPattern(p, true)
	fixed = filepath.Clean(fixed)
	if rest == "" {
		return f.critical(p, false)
	}
	if fixed != "/" && f.policy.Hidden(fixed) {
		return fixed + ", which is protected"
	}
	for _, c := range f.criticals() {
		switch fit := matchParts(p, c); {
		case fit == 0:
			return c + ", which " + p + " may stand for"
		case fit == 1 && everyName(path.Base(strings.TrimSuffix(p, "/"))):
			if what := f.critical(c, true); what != "" {
				return "all that is in " + what
			}
		}
	}
	return ""
}

// criticals are the paths that a pattern is compared with.
func (f *floor) criticals() []string {
	out := []string{"/", "/etc", "/usr", "/bin", "/sbin", "/lib", "/boot", "/home", "/root", "/var", "/opt", "/srv", "/mnt", "/media", "/Users", "/System", "/Library"}
	for dir := f.home; ; dir = filepath.Dir(dir) {
		out = append(out, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	out = append(out, f.allowed()...)
	return append(out, f.policy.Secrets()...)
}

// matchParts compares a pattern with a path part by part: 0 when it may stand
// for the path, 1 when it goes one part deeper, -1 when it does not fit.
func matchParts(pattern, abs string) int {
	p := strings.Split(strings.Trim(filepath.ToSlash(pattern), "/"), "/")
	a := strings.Split(strings.Trim(filepath.ToSlash(abs), "/"), "/")
	if abs == "/" {
		a = nil
	}
	if len(p) < len(a) || len(p) > len(a)+1 {
		return -1
	}
	for i := range a {
		if ok, err := path.Match(strings.ReplaceAll(p[i], "[!", "[^"), a[i]); err == nil && !ok {
			return -1
		}
	}
	return len(p) - len(a)
}

// everyName reports whether a pattern fits every file name, hidden ones or not.
func everyName(pattern string) bool {
	return strings.Trim(pattern, "*?") == "" || strings.HasPrefix(pattern, ".") && strings.Trim(pattern, "*?.[]!^") == "" || pattern == "*.*" || pattern == "[!.]*" || pattern == "[^.]*" || pattern == "[a-zA-Z]*"
}

// locks takes the owner's rights away from the whole system or home.
func (f *floor) locks(c *Command, list []arg) string {
	for _, t := range list {
		for _, place := range f.places(c, t) {
			if slices.Contains(f.allowed(), place) {
				continue
			}
			if what := f.criticalPattern(place, t.glob); what != "" && !inside(f.home, place) {
				return "it changes the rights of " + what
			}
		}
	}
	return ""
}

// findNarrows are the tests of find after which not everything is left.
var findNarrows = set("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-size", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-newer",
	"-user", "-group", "-perm", "-empty", "-links", "-inum", "-samefile", "-newermt")

func (f *floor) findDeletes(c *Command, a *Analysis, args []arg) string {
	deletes, narrow := false, false
	for i, x := range args {
		next := ""
		if i+1 < len(args) {
			next = args[i+1].text
		}
		runs := strings.HasPrefix(x.text, "-exec") && slices.Contains([]string{"rm", "shred", "unlink", "rmdir", "mv"}, base(next))
		deletes = deletes || x.text == "-delete" || runs
		narrow = narrow || findNarrows[x.text] && (next == "" || !everyName(next))
	}
	if !deletes || narrow {
		return ""
	}
	starts := findStarts(args)
	for i := range starts { // what is below, not the folder itself
		starts[i].text, starts[i].glob = starts[i].text+"/*", true
	}
	return f.removes(c, a, starts, "deletes")
}

// findStarts are the folders that find begins at.
func findStarts(args []arg) []arg {
	var out []arg
	for _, x := range args {
		switch {
		case x.text == "-H", x.text == "-L", x.text == "-P":
			continue
		case strings.HasPrefix(x.text, "-"), x.text == "(", x.text == "!":
			if len(out) == 0 {
				return []arg{{text: ".", shown: "."}}
			}
			return out
		}
		out = append(out, x)
	}
	return out
}

// gitCleans removes everything that git does not track from the home or above.
func (f *floor) gitCleans(c *Command, a *Analysis, args []arg) string {
	dirs := *c
	for i, x := range args {
		switch {
		case x.text == "-C" && i+1 < len(args):
			dirs.Dirs = joinDirs(dirs.Dirs, args[i+1].text)
		case x.text == "clean":
			for _, d := range dirs.Dirs {
				if d == f.home || inside(d, f.home) {
					return "git clean deletes what is in the home folder"
				}
			}
		case strings.HasPrefix(x.text, "alias.") && strings.Contains(x.text, "=!"):
			_, line, _ := strings.Cut(x.text, "=!")
			if why := f.line(line, c, a); why != "" {
				return why
			}
		}
	}
	return ""
}

// line checks a command line that hides in a word.
func (f *floor) line(text string, c *Command, a *Analysis) string {
	if f.depth > 2 {
		return ""
	}
	f.depth++
	defer func() { f.depth-- }()
	at := Setting{Home: f.home}
	if len(c.Dirs) > 0 {
		at.Dir = c.Dirs[0]
	}
	inner := Analyse(text, at)
	why := f.command(inner)
	for _, w := range inner.Warnings {
		a.warn("%s", w)
	}
	return why
}
