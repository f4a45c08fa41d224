package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/tools/git"
)

// A gitWatch finds out whether a command has made git run something. The kernel
// keeps a command from a person's files, but their own git, or the prompt of
// their shell that asks it, runs outside of that, and carries out what is in the
// hooks and settings of a repository.
type gitWatch struct {
	folders []string
	before  map[string]string
	alert   func(ctx context.Context, title string, err error)

	mu   sync.Mutex
	told []string // what was found
}

// watchGit looks at the folders that a command may write to, before it runs.
func (c *Core) watchGit(folders []string) *gitWatch {
	w := &gitWatch{folders: slices.Clone(folders), alert: c.alert}
	w.before = w.look()
	return w
}

func (w *gitWatch) look() map[string]string {
	out := map[string]string{}
	for _, dir := range w.folders {
		maps.Copy(out, git.Runs(dir))
	}
	return out
}

// Said tells what git runs now that it did not run before, and lets the person
// know once.
func (w *gitWatch) Said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.look()
	var found []string
	for what, value := range now {
		if before, ok := w.before[what]; !ok || before != value {
			found = append(found, what)
		}
	}
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	const most = 1000
	text := "It changed what git runs by itself, outside of the confinement: " + capability.CutText(strings.Join(found, "; "), most) + "."
	if !slices.Equal(found, w.told) {
		w.told = found
		w.alert(context.Background(), "A command of the agent's changed what git runs", errors.New(text+" If you did not want that, take it out before you use git there."))
	}
	return text
}
