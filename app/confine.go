package app

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// confined joins the settings and the path policy to what the kernel holds
// commands to.
type confined struct{ c *Core }

// shell readies the confinement of a command line.
func (h confined) shell(turn capability.Turn, env []string) (process.Confinement, string, error) {
	kept := &keptFrom{}
	spec := h.spec(turn, env, kept)
	held, report, err := h.c.confiner.Prepare(h.mode(), spec)
	if held == nil || err != nil {
		return nil, report.Sentence(), err
	}
	return toldShell{held, kept, h.c.watchGit(spec.Write)}, report.Sentence(), nil
}

// git readies the confinement of a git that the tools start.
func (h confined) git(turn capability.Turn, env []string, remote bool) (process.Confinement, error) {
	spec := h.spec(turn, env, nil)
	if remote {
		spec.Keys = append(spec.Keys, filepath.Join(spec.Home, ".ssh"))
		if socket := variable(env, "SSH_AUTH_SOCK"); filepath.IsAbs(socket) {
			spec.Sockets = append(spec.Sockets, socket)
		}
	}
	if path := variable(env, "GIT_CONFIG_GLOBAL"); filepath.IsAbs(path) {
		spec.Read = append(spec.Read, path)
	}
	held, _, err := h.c.confiner.Prepare(h.mode(), spec)
	if held == nil || err != nil {
		return nil, err
	}
	return held, nil
}

func (h confined) mode() confine.Mode { return confine.Mode(h.c.cfg.Load().Sandbox.Confine) }

// spec is what the commands of a turn may touch. Each workspace has caches of
// its own, so that nothing gets from one project into another by them; the
// commands of a session share temporary files. The hosts that they are kept from
// are noted in kept, which may be nil.
func (h confined) spec(turn capability.Turn, env []string, kept *keptFrom) confine.Spec {
	spec := confine.ForTurn(h.c.policy, turn, variable(env, "PATH"))
	spec.Network = confine.Network(h.c.cfg.Load().Sandbox.Network)
	spec = h.proxied(spec, kept)
	workspace := turn.Workspace
	if workspace == "" {
		workspace = h.c.workspace()
	}
	spec.Cache = filepath.Join(h.folder(), "cache-"+short(workspace))
	if turn.Session != "" {
		spec.Tmp = h.tmp(turn.Session)
	}
	return spec
}

// folder holds the caches and temporary files of commands.
func (h confined) folder() string { return filepath.Join(h.c.opts.Paths.Cache, "commands") }

const tmpPrefix = "tmp-"

func (h confined) tmp(session string) string {
	return filepath.Join(h.folder(), tmpPrefix+short(session))
}

// endSession deletes the temporary files of a session.
func (h confined) endSession(session string) {
	if err := os.RemoveAll(h.tmp(session)); err != nil {
		slog.Warn("app: temporary files of a session", "error", err)
	}
}

// keepTmp is how long temporary files that no command touches are kept.
const keepTmp = 3 * 24 * time.Hour

// clean deletes temporary files of sessions that have long been quiet.
func (h confined) clean() {
	entries, err := os.ReadDir(h.folder())
	if err != nil {
		return // there were none yet
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), tmpPrefix) || time.Since(info.ModTime()) < keepTmp {
			continue
		}
		if err := os.RemoveAll(filepath.Join(h.folder(), e.Name())); err != nil {
			slog.Warn("app: old temporary files", "error", err)
		}
	}
}

// short is a name for a text, of letters and digits.
func short(text string) string {
	const bytes = 8
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// variable is the value of a variable; empty when it is not set.
func variable(env []string, name string) string {
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
