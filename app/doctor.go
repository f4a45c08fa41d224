package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/secret"
	"github.com/hobkin/hobkin/core/version"
)

// checkTime bounds one row of the doctor.
const checkTime = 20 * time.Second

// A checkup is one row: it tries the thing itself, it does not read a flag.
type checkup struct {
	name string
	try  func(*Core, context.Context) control.Check
}

var checkups = []checkup{
	{"Settings", (*Core).checkSettings},
	{"Database", (*Core).checkDatabase},
	{"Data folder", (*Core).checkDataFolder},
	{"Secrets", (*Core).checkSecrets},
	{"Model", (*Core).checkModel},
	{"Path policy", (*Core).checkPolicy},
	{"Commands", (*Core).checkConfinement},
	{"Commands without bubblewrap", (*Core).checkFallback},
	{"Tool servers", (*Core).checkServers},
	{"Browser", (*Core).checkBrowser},
	{"Computer use", (*Core).checkComputer},
	{"Git", (*Core).checkGit},
	{"Refused paths", (*Core).checkRefusals},
	{"Refused calls", (*Core).checkRefused},
	{"Jobs", (*Core).checkJobs},
	{"Start at login", (*Core).checkLogin},
	{"Crashes", (*Core).checkCrashes},
	{"Version", (*Core).checkVersion},
}

// doctor tries every part, one after another, and says what it found.
func (c *Core) doctor(ctx context.Context, _ none) ([]control.Check, error) {
	out := make([]control.Check, len(checkups))
	for i, k := range checkups {
		ctx, cancel := context.WithTimeout(ctx, checkTime)
		out[i] = k.try(c, ctx)
		out[i].Name = k.name
		cancel()
	}
	return out, nil
}

func passed(format string, args ...any) control.Check {
	return control.Check{Status: "passed", Detail: fmt.Sprintf(format, args...)}
}

func warning(detail, fix string) control.Check {
	return control.Check{Status: "warning", Detail: detail, Fix: fix}
}

func failed(err error, fix string) control.Check {
	return control.Check{Status: "failed", Detail: err.Error(), Fix: fix}
}

func (c *Core) checkSettings(context.Context) control.Check {
	if _, err := c.file.Load(); err != nil {
		return failed(err, "correct the file; the settings of before go on")
	}
	return passed("%s is right", c.file.Path)
}

func (c *Core) checkDatabase(ctx context.Context) control.Check {
	if text := c.store.Degraded(); text != "" {
		return warning(text, "")
	}
	if err := c.store.Check(ctx); err != nil {
		return failed(err, "quit Hobkin and restore the newest backup beside the database")
	}
	return passed("sound")
}

func (c *Core) checkDataFolder(context.Context) control.Check {
	f, err := os.CreateTemp(c.opts.Paths.Data, ".doctor-*")
	if err != nil {
		return failed(err, "free some space, or correct the owner and permissions of "+c.opts.Paths.Data)
	}
	_, err = f.Write(make([]byte, 1<<20))
	_ = f.Close()
	_ = os.Remove(f.Name())
	if err != nil {
		return failed(err, "free some space")
	}
	return passed("%s can be written", c.opts.Paths.Data)
}

func (c *Core) checkSecrets(ctx context.Context) control.Check {
	const probe = "hobkin-doctor-probe"
	err := c.secrets.Set(ctx, probe, "a value for the check")
	if errors.Is(err, secret.ErrLocked) {
		return warning("the sealed secrets are locked: a model whose key is among them cannot be asked", "hobkin secrets unlock")
	}
	if err != nil {
		return failed(err, "")
	}
	defer func() { _ = c.secrets.Delete(context.WithoutCancel(ctx), probe) }()
	if _, err := c.secrets.Get(ctx, probe); err != nil {
		return failed(err, "")
	}
	switch s := c.secrets.Status(ctx); s.At {
	case secret.Sealed:
		return passed("the sealed file stores and returns a value")
	case secret.File:
		return warning(s.Text, "hobkin secrets move --to sealed")
	}
	return passed("the keyring stores and returns a value")
}

// checkModel asks the model for one word.
func (c *Core) checkModel(ctx context.Context) control.Check {
	choices, err := c.choose(ctx, "main", "")
	if err != nil {
		return failed(err, "hobkin config get models.main")
	}
	m := choices[0].Model
	if modelID(m.Info()) == "offline" {
		return warning("no model is connected; the built-in offline helper answers", "connect one: hobkin config set models.main.provider NAME")
	}
	start := time.Now()
	req := provider.Request{Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "Answer with the one word: yes"}}}}}
	for _, err := range m.Stream(ctx, req) {
		if err != nil {
			return failed(err, "")
		}
	}
	return passed("%s answered in %v", title(m.Info()), time.Since(start).Round(10*time.Millisecond))
}

// checkPolicy tries to get at something that must stay out of reach.
func (c *Core) checkPolicy(context.Context) control.Check {
	turn := ownerTurn(c.workspace())
	for _, path := range []string{"~/.ssh/id_rsa", c.opts.Paths.Database(), "/etc/shadow"} {
		if abs, err := c.policy.Try(turn, path, 0); err == nil {
			return failed(fmt.Errorf("the tools could read %s", abs), "report this: it must never be")
		}
	}
	return passed("the tools may use %v; keys, keyrings and Hobkin's own data are out of reach", c.policy.Roots(turn))
}

func (c *Core) checkGit(ctx context.Context) control.Check {
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return warning("git does not run: "+err.Error(), "install git; the git tools need it")
	}
	return passed("%s", firstLine(string(out)))
}

func (c *Core) checkRefusals(context.Context) control.Check {
	list := c.policy.Refusals()
	if len(list) == 0 {
		return passed("none in the last week")
	}
	last := list[0]
	return warning(fmt.Sprintf("%d in the last week, the last: %s", len(list), last.Text), last.Fix)
}

func (c *Core) checkVersion(context.Context) control.Check {
	return passed("Hobkin %s, %s, %s/%s", version.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
