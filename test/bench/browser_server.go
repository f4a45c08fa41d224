package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A browserServer is a tool server that works with a browser, under way.
type browserServer struct {
	args []string
	dir  string
	env  []string
	form func(a act, ref, first, last string) (tool string, in args)
	ref  string // how a reference looks behind its label

	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int
	seen string // the last snapshot, as the model reads it

	times map[string][]float64 // ms, by kind
	chars map[string]int       // of snapshots, by kind
	seens map[string]string    // the snapshots themselves
}

// start starts the server; its browser starts with the first action.
func (s *browserServer) start(ctx context.Context) (err error) {
	s.cmd = exec.CommandContext(ctx, s.args[0], s.args[1:]...) //nolint:gosec // programs of ours
	s.cmd.Dir, s.cmd.Env = s.dir, s.env
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	if _, err := s.ask("initialize", args{"protocolVersion": "2025-11-25", "capabilities": args{}, "clientInfo": args{"name": "bench", "version": "1"}}); err != nil {
		return err
	}
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

// graceful is how long a server may take to end its browser.
const graceful = 15 * time.Second

// stop ends the server, which ends its browser.
func (s *browserServer) stop() {
	_ = s.in.Close()
	timer := time.AfterFunc(graceful, func() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	_ = s.cmd.Wait() // what it ended with says nothing of its speed
	timer.Stop()
}

// ask makes a request and returns its result.
func (s *browserServer) ask(method string, params any) (json.RawMessage, error) {
	s.next++
	raw, err := json.Marshal(args{"jsonrpc": "2.0", "id": s.next, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := s.in.Write(append(raw, '\n')); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s has ended: %w", s.args[0], err)
		}
		var m struct {
			ID     *int
			Error  json.RawMessage
			Result json.RawMessage
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil || *m.ID != s.next || m.Error == nil && m.Result == nil {
			continue // a notification, a question, or a banner
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	}
}

// call makes a call and returns what the model reads, and how long it took in ms.
func (s *browserServer) call(tool string, in args) (text string, took float64, err error) {
	began := time.Now()
	raw, err := s.ask("tools/call", args{"name": tool, "arguments": in})
	took = ms(time.Since(began))
	if err != nil {
		return "", took, err
	}
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", took, err
	}
	var all strings.Builder
	for _, c := range result.Content {
		all.WriteString(c.Text)
	}
	text = all.String()
	if result.IsError || strings.Contains(text, `{"error":{`) {
		return text, took, fmt.Errorf("%s %v: %s", tool, in, text[:min(len(text), 500)])
	}
	return text, took, nil
}

// do does one action and notes how long it took.
func (s *browserServer) do(a act) error {
	ref := ""
	if a.label != "" {
		found := regexp.MustCompile(regexp.QuoteMeta(a.label) + s.ref).FindStringSubmatch(s.seen)
		if found == nil {
			return fmt.Errorf("%s: no %s in the snapshot:\n%s", s.args[0], a.label, s.seen[:min(len(s.seen), 2000)])
		}
		ref = found[1]
	}
	tool, in := s.form(a, ref, s.tab(0), s.tab(-1))
	text, took, err := s.call(tool, in)
	if err != nil {
		return err
	}
	s.times[a.kind] = append(s.times[a.kind], took)
	if strings.HasPrefix(a.kind, "snapshot") {
		s.seen, s.chars[a.kind], s.seens[a.kind] = text, len(text), text
	}
	if a.kind == "tabs" {
		s.seens[a.kind] = text
	}
	return nil
}

// tab is the id of a tab of ours in the last list; -1 is the newest.
func (s *browserServer) tab(i int) string {
	ids := regexp.MustCompile(`(?m)^t\d+`).FindAllString(s.seens["tabs"], -1)
	switch {
	case len(ids) == 0:
		return ""
	case i < 0:
		return ids[len(ids)-1]
	}
	return ids[i]
}

// browser is the process of the server's browser.
func (s *browserServer) browser() (pid int, err error) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	parents := map[int]int{}
	var found []int
	for _, e := range all {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, serr := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		line, lerr := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		at := strings.LastIndexByte(string(stat), ')')
		if serr != nil || lerr != nil || at < 0 {
			continue // it has just ended
		}
		parents[id], _ = strconv.Atoi(strings.Fields(string(stat[at+1:]))[1])
		if strings.Contains(string(line), "--remote-debugging-pipe") && !strings.Contains(string(line), "--type=") {
			found = append(found, id)
		}
	}
	for _, id := range found {
		for up := id; up > 1; up = parents[up] {
			if up == s.cmd.Process.Pid {
				return id, nil
			}
		}
	}
	return 0, errors.New("the server has no browser")
}

// usable are the lines of a snapshot of the reference server that name an element
// with a reference which can be used.
var usable = regexp.MustCompile(`(?m)^\s*- ((?:button|link|textbox|combobox|checkbox|radio|slider|spinbutton|searchbox|switch|tab|menuitem) "[^"]*")[^\n]*\[ref=`)

// missing are the elements that the reference server gives a reference to and we
// do not.
func missing(ours, theirs string) (list []string) {
	for _, found := range usable.FindAllStringSubmatch(theirs, -1) {
		if !strings.Contains(ours, found[1]) {
			list = append(list, found[1])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
