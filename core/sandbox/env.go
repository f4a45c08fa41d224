package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// EnvConfig says what is in the environment of a child process.
type EnvConfig struct {
	Environ []string            // this process's environment; nil means os.Environ
	Allow   []string            // further names, from Sources or else from Environ; XYZ_* allows a family
	Sources map[string]Source   // where the value of an allowed name comes from, when not from Environ
	Set     map[string]string   // values that win over all others, such as HOME of a confined child
	Noted   func(string, error) // told of each allowed name that could not be read; nil ignores
	Timeout time.Duration       // of all sources together; default 10 seconds
}

// A Source gives the value of one variable. Several are asked side by side.
type Source func(ctx context.Context) (string, error)

const (
	sourceTimeout = 10 * time.Second
	sourceMost    = 64 << 10 // bytes of one value
)

// basics are the variables that every child gets when they are set here.
func basics() []string {
	names := []string{"PATH", "HOME", "USER", "LANG", "LC_*", "TMPDIR", "SHELL", "TERM"}
	if runtime.GOOS == "windows" { // nothing starts there without these
		names = append(names, "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE")
	}
	return names
}

// Env builds the environment of a child process from nothing: the few names
// that programs cannot do without, then what cfg allows. Keys that Hobkin was
// started with do not reach a child unless they are named. The result is sorted.
func Env(cfg EnvConfig) []string {
	if cfg.Environ == nil {
		cfg.Environ = os.Environ()
	}
	vars := map[string]string{"PATH": defaultPath(), "TERM": "dumb"}
	if vars["PATH"] == "" {
		delete(vars, "PATH")
	}
	allow := slices.Concat(basics(), cfg.Allow)
	for _, pair := range cfg.Environ {
		name, value, ok := strings.Cut(pair, "=")
		if ok && name != "" && named(allow, name) {
			vars[canonical(name)] = value
		}
	}
	readSources(cfg, vars)
	for name, value := range cfg.Set {
		vars[canonical(name)] = value
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if pair := name + "=" + vars[name]; !strings.ContainsRune(pair, 0) {
			out = append(out, pair)
		}
	}
	return out
}

// readSources asks the sources of the allowed names, side by side, so that one
// that hangs takes no time from the others. One that fails leaves its variable
// out.
func readSources(cfg EnvConfig, vars map[string]string) {
	if cfg.Timeout <= 0 {
		cfg.Timeout = sourceTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), cfg.Timeout)
	defer cancel()
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(cfg.Sources)), func(name string) bool { return !named(cfg.Allow, name) })
	values, errs := make([]string, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { values[i], errs[i] = readSource(ctx, cfg.Sources[name]) })
	}
	all.Wait()
	for i, name := range names {
		if errs[i] == nil {
			vars[canonical(name)] = values[i]
			continue
		}
		delete(vars, canonical(name))
		if cfg.Noted != nil {
			cfg.Noted(name, errs[i])
		}
	}
}

func readSource(ctx context.Context, source Source) (string, error) {
	value, err := source(ctx)
	if err == nil && (len(value) > sourceMost || strings.ContainsRune(value, 0)) {
		err = errors.New("the value is too long or holds a NUL byte")
	}
	return value, err
}

// named reports whether a list of names and families has name.
func named(list []string, name string) bool {
	name = canonical(name)
	return slices.ContainsFunc(list, func(one string) bool {
		one = canonical(one)
		family, ok := strings.CutSuffix(one, "*")
		return one == name || ok && family != "" && strings.HasPrefix(name, family)
	})
}

// canonical makes names equal that the system takes for one.
func canonical(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

func defaultPath() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	return "/usr/local/bin:/usr/bin:/bin"
}

// FromVariable reads another variable of this process.
func FromVariable(name string) Source {
	return func(context.Context) (string, error) {
		if value, ok := os.LookupEnv(name); ok {
			return value, nil
		}
		return "", fmt.Errorf("the variable %s is not set", name)
	}
}

// FromCommand runs a program of the owner's choice, such as a password
// manager, and takes what it prints, without the line end. What it prints on
// its error output is dropped: it may quote the secret.
func FromCommand(argv ...string) Source {
	return func(ctx context.Context) (string, error) {
		if len(argv) == 0 {
			return "", errors.New("the command is empty")
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.WaitDelay = time.Second
		alone(cmd)
		out := capped{most: sourceMost, full: cancel}
		cmd.Stdout = &out
		err := cmd.Run()
		switch {
		case out.over:
			return "", fmt.Errorf("%s printed too much", argv[0])
		case ctx.Err() != nil:
			return "", fmt.Errorf("%s did not answer in time", argv[0])
		case err != nil:
			return "", fmt.Errorf("running %s: %w", argv[0], err)
		}
		return strings.TrimRight(out.buf.String(), "\r\n"), nil
	}
}

// capped is a buffer that calls full instead of growing past most bytes.
type capped struct {
	buf  bytes.Buffer // a field: promoted, its ReadFrom would get round Write
	most int
	full func()
	over bool
}

// Write drops what does not fit.
func (c *capped) Write(p []byte) (int, error) {
	if c.buf.Len()+len(p) > c.most {
		c.over = true
		c.full()
		return len(p), nil
	}
	return c.buf.Write(p)
}
