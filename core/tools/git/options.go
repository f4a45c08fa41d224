package git

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A taking says what an option takes.
type taking int

const (
	nothing  taking = iota
	value           // a value, attached or as the next argument
	attached        // a value or none, only attached
	perhaps         // a value or none, attached or as the next argument
	dropped         // allowed and left out: the result has its own form
)

// An option is one that is allowed.
type option struct {
	takes taking
	long  string   // of a short option: the long name that it is passed on as
	only  []string // the values that are allowed; nil allows all
}

// options are the allowed options of a command, by name with its dashes. The
// name -5 stands for every count.
type options map[string]option

// A checked command line holds only what is allowed, in a form that git can read
// in one way only: every option has its value attached.
type checked struct {
	command string
	args    []string          // options and the rest, as git gets them
	has     map[string]bool   // options that were given, by the name they are passed on as
	values  map[string]string // and the last value of each
	rest    []string          // what is no option: revisions, paths, names
	dashes  bool              // there was a --
}

// check takes a command line apart. It fails with option_refused.
func (allowed options) check(command string, args []string) (*checked, error) {
	c := &checked{command: command, has: map[string]bool{}, values: map[string]string{}}
	if slices.ContainsFunc(args, func(a string) bool { return strings.ContainsRune(a, 0) }) {
		return nil, optionRefused.Becausef("an argument holds a zero byte")
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		next := func() (string, bool) {
			if i+1 >= len(args) {
				return "", false
			}
			i++
			return args[i], true
		}
		var err error
		switch {
		case arg == "--":
			c.dashes = true
			c.rest = append(c.rest, args[i+1:]...)
			c.args = append(c.args, args[i:]...)
			return c, nil
		case len(arg) < 2 || arg[0] != '-':
			c.rest = append(c.rest, arg)
			c.args = append(c.args, arg)
		case strings.HasPrefix(arg, "--"):
			err = allowed.long(c, arg, next)
		default:
			err = allowed.short(c, arg, next)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (allowed options) long(c *checked, arg string, next func() (string, bool)) error {
	name, val, has := strings.Cut(arg, "=")
	opt, ok := allowed[name]
	if !ok {
		return allowed.refuse(c.command, name)
	}
	switch {
	case has && opt.takes == nothing:
		return optionRefused.Becausef("%s of git %s takes no value", name, c.command)
	case opt.takes == value && !has:
		if val, has = next(); !has {
			return optionRefused.Becausef("%s of git %s needs a value", name, c.command)
		}
	case opt.takes == perhaps && !has:
		val, has = next()
	}
	return c.add(name, val, has, opt)
}

// short reads -x, -x VALUE, -xVALUE, bundles of them, and a count such as -5.
func (allowed options) short(c *checked, arg string, next func() (string, bool)) error {
	if _, ok := allowed["-5"]; ok && strings.Trim(arg[1:], "0123456789") == "" {
		return c.add("-5", arg[1:], true, option{long: "--max-count"})
	}
	for rest := arg[1:]; rest != ""; {
		_, n := utf8.DecodeRuneInString(rest)
		name := "-" + rest[:n]
		rest = rest[n:]
		opt, ok := allowed[name]
		if !ok || name == "-5" {
			return allowed.refuse(c.command, name)
		}
		val, has := "", false
		switch opt.takes {
		case value:
			val, rest = rest, ""
			if has = val != ""; !has {
				if val, has = next(); !has {
					return optionRefused.Becausef("%s of git %s needs a value", name, c.command)
				}
			}
		case attached:
			val, has, rest = rest, rest != "", ""
		}
		if err := c.add(name, val, has, opt); err != nil {
			return err
		}
	}
	return nil
}

// add writes an option down with its value attached.
func (c *checked) add(name, val string, has bool, opt option) error {
	if has && opt.only != nil && !slices.Contains(opt.only, val) {
		return optionRefused.Becausef("%s of git %s takes %s, not %q", name, c.command, strings.Join(opt.only, ", "), val)
	}
	if opt.long != "" {
		name = opt.long
	}
	c.has[name] = true
	c.values[name] = val
	switch {
	case opt.takes == dropped:
	case !has:
		c.args = append(c.args, name)
	case strings.HasPrefix(name, "--"):
		c.args = append(c.args, name+"="+val)
	case val == "":
		return optionRefused.Becausef("%s of git %s needs a value", name, c.command)
	default:
		c.args = append(c.args, name+val)
	}
	return nil
}

// any reports whether one of the options was given.
func (c *checked) any(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return c.has[n] })
}

// refuse says that an option is not allowed, and which come near.
func (allowed options) refuse(command, name string) error {
	err := optionRefused.Becausef("git %s with %s is not allowed here", command, name).With("option", name)
	if near := allowed.near(name); len(near) > 0 {
		return err.With("near", near).Trying("write allowed options in full, such as " + strings.Join(near, ", "))
	}
	return err.Trying("leave it out; git " + command + " allows " + strings.Join(allowed.names(), " "))
}

func (allowed options) names() (list []string) {
	for name := range allowed {
		if name != "-5" {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// near lists at most three allowed long options that start like name does.
func (allowed options) near(name string) (list []string) {
	if !strings.HasPrefix(name, "--") {
		return nil
	}
	for size := len(name); size >= 5 && len(list) == 0; size-- {
		for _, n := range allowed.names() {
			if strings.HasPrefix(n, name[:size]) && len(list) < 3 {
				list = append(list, n)
			}
		}
	}
	return list
}
