package config

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// An Update is what became of the config file: a new config, or why it was
// refused. Whoever gets an error goes on with the config it had.
type Update struct {
	Config *Config // nil when Err is set
	Err    error
}

// quiet is how long a file must rest before it is read: editors write in
// several steps.
const quiet = 150 * time.Millisecond

// Watch reports each change of the file until ctx ends, and then closes the
// channel. The folder is watched, not the file, as editors put a new file in
// the place of the old one; where the file is a link, its target's folder too.
// A reader that is slow gets the newest state, not each.
func (f File) Watch(ctx context.Context) (<-chan Update, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("config: watching: %w", err)
	}
	dirs := []string{filepath.Dir(f.Path)}
	if target, err := filepath.EvalSymlinks(f.Path); err == nil && filepath.Dir(target) != dirs[0] {
		dirs = append(dirs, filepath.Dir(target))
	}
	for _, dir := range dirs {
		if err := w.Add(dir); err != nil {
			return nil, errors.Join(fmt.Errorf("config: watching %s: %w", dir, err), w.Close())
		}
	}
	out := make(chan Update, 1)
	g := watcher{file: f, events: w, out: out, seen: f.content()}
	go g.run(ctx) // ends with ctx
	return out, nil
}

// A watcher turns events of a folder into updates.
type watcher struct {
	file   File
	events *fsnotify.Watcher
	out    chan Update
	seen   string
}

func (g *watcher) run(ctx context.Context) {
	defer close(g.out)
	defer func() {
		if err := g.events.Close(); err != nil {
			slog.WarnContext(ctx, "config: closing the watch", "error", err)
		}
	}()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-g.events.Events:
			if !ok {
				return
			}
			timer.Reset(quiet)
		case err, ok := <-g.events.Errors:
			if !ok {
				return
			}
			slog.WarnContext(ctx, "config: watching", "error", err)
			timer.Reset(quiet) // something may have been missed
		case <-timer.C:
			g.report()
		}
	}
}

// report reads the file if its text is another one, and puts the outcome in
// the place of one that was not fetched yet.
func (g *watcher) report() {
	now := g.file.content()
	if now == g.seen {
		return
	}
	g.seen = now
	c, err := g.file.Load()
	u := Update{Config: c, Err: err}
	if err != nil {
		u.Config = nil
	}
	select {
	case <-g.out:
	default:
	}
	g.out <- u // there is room: nobody else sends
}

// content is the text of the file, or why there is none.
func (f File) content() string {
	text, err := os.ReadFile(f.Path)
	if err != nil {
		return "\x00" + err.Error()
	}
	return string(text)
}
