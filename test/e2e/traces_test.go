package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// What a kill may leave, and what not.

// A proc is a process, by number and start, as numbers are used again.
type proc struct {
	pid   int
	start string
}

// alive lists the processes that are not dead, with their parents.
func alive(tb testing.TB) map[proc]int {
	tb.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		tb.Fatal(err)
	}
	out := map[proc]int{}
	for _, stat := range stats {
		raw, err := os.ReadFile(stat)
		if err != nil {
			continue // it ended meanwhile
		}
		const state, parent, start = 0, 1, 19
		f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		pid, err1 := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		up, err2 := strconv.Atoi(f[parent])
		if err1 != nil || err2 != nil {
			tb.Fatalf("%s is odd: %s", stat, raw)
		}
		if f[state] != "Z" && f[state] != "X" {
			out[proc{pid, f[start]}] = up
		}
	}
	return out
}

// below lists the living descendants of a process.
func below(tb testing.TB, root int) (list []proc) {
	tb.Helper()
	all := alive(tb)
	ours := map[int]bool{root: true}
	for grown := true; grown; {
		grown = false
		for p, parent := range all {
			if ours[parent] && !ours[p.pid] {
				ours[p.pid], grown = true, true
				list = append(list, p)
			}
		}
	}
	return list
}

// orphanTime is how long after a kill anything may be left.
const orphanTime = 10 * time.Second

// noOrphans waits until the processes of before, and all that work in dir or
// have it in their environment, are gone. It kills what stays, so that the
// machine is left clean, and fails the test.
func noOrphans(tb testing.TB, before []proc, dir string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), orphanTime)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		left := orphans(tb, before, dir)
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
			continue
		case <-ctx.Done():
		}
		for p, what := range left {
			tb.Errorf("process %d is still there %v after the kill: %s", p.pid, orphanTime, what)
			if one, err := os.FindProcess(p.pid); err == nil {
				_ = one.Kill() // it may end by itself at last
			}
		}
		tb.FailNow() // each further kill would wait as long
	}
}

func orphans(tb testing.TB, before []proc, dir string) map[proc]string {
	tb.Helper()
	all, left := alive(tb), map[proc]string{}
	for _, p := range before {
		if _, ok := all[p]; ok {
			left[p] = whatIs(p)
		}
	}
	for p := range all {
		at := "/proc/" + strconv.Itoa(p.pid)
		cwd, _ := os.Readlink(at + "/cwd") // that of others cannot be read
		env, _ := os.ReadFile(at + "/environ")
		if p.pid != os.Getpid() && (strings.HasPrefix(cwd, dir+"/") || bytes.Contains(env, []byte(dir+"/"))) {
			left[p] = whatIs(p)
		}
	}
	return left
}

func whatIs(p proc) string {
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cmdline") // it may be gone
	return strings.ReplaceAll(string(line), "\x00", " ")
}

// ownFiles are the files that may lie in a home; everything else was forgotten.
var ownFiles = regexp.MustCompile(`^(config/config\.toml|data/jobs\.lock|data/hobkin\.(db|db-wal|db-shm|lock|care|db\.backup-\d{8}-\d{6})|data/outputs/.*|data/secrets/(\.lock|secrets\.json)|data/undo/(pruned|dropped\.json)|` +
	`state/(logs/hobkin\.log|canary\.key)|run/(control\.sock|desktop\.lock)|\w+/README\.txt)$`)

// projectFiles are the files that the scripted turn leaves in a project.
var projectFiles = regexp.MustCompile(`^(core/(plan|done)\.go|notes\.txt|children\.sh|large\.txt|deep/er/small\.txt)$`)

// tidy looks for files that no one wanted.
func (p *person) tidy() {
	p.tb.Helper()
	for dir, wanted := range map[string]*regexp.Regexp{p.home: ownFiles, p.project: projectFiles, filepath.Join(filepath.Dir(p.home), "tmp"): regexp.MustCompile(`^$`)} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if name, _ := filepath.Rel(dir, path); !wanted.MatchString(filepath.ToSlash(name)) {
				p.tb.Errorf("%s was left behind", path)
			}
			return nil
		})
		if err != nil {
			p.tb.Error(err)
		}
	}
}

// whole checks that the files of the scripted turn are of one version each.
func (p *person) whole() {
	p.tb.Helper()
	for name, lines := range map[string]int{"large.txt": wholeLines, "deep/er/small.txt": 1} {
		raw, err := os.ReadFile(filepath.Join(p.project, name))
		if os.IsNotExist(err) {
			continue // no turn came so far
		}
		first, rest, _ := strings.Cut(string(raw), "\n")
		if err != nil || !strings.HasPrefix(first, "version ") || rest != strings.Repeat(first+"\n", lines-1) {
			p.tb.Errorf("half a file: %s has %d bytes after the line %q, %v", name, len(rest), first, err)
		}
	}
}

// sound checks the database.
func (p *person) sound() {
	p.tb.Helper()
	var rows []control.Check
	out := p.must("doctor", "--json")
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		p.tb.Fatalf("%v: %s", err, out)
	}
	for _, r := range rows {
		if r.Name == "Database" {
			if r.Status != "passed" {
				p.tb.Errorf("the database: %+v", r)
			}
			return
		}
	}
	p.tb.Errorf("the doctor says nothing of the database: %s", out)
}

// exported are the events of a session's document.
func exported(tb testing.TB, doc string) []agent.Event {
	tb.Helper()
	var d struct {
		Events []agent.Event `json:"events"`
	}
	if err := json.Unmarshal([]byte(doc), &d); err != nil {
		tb.Fatalf("%v: %s", err, doc)
	}
	for i, e := range d.Events {
		if e.Seq != int64(i+1) {
			tb.Errorf("session %s: event %d has the number %d", e.Session, i+1, e.Seq)
		}
	}
	return d.Events
}

// kept checks that every event that was shown as one that lasts is in its
// session.
func (p *person) kept(seen []agent.Event) {
	p.tb.Helper()
	sessions := map[string][]agent.Event{}
	for _, e := range seen {
		if e.Seq == 0 {
			continue // of the moment
		}
		if sessions[e.Session] == nil {
			sessions[e.Session] = exported(p.tb, p.must("sessions", "export", "-f", "json", e.Session))
		}
		list := sessions[e.Session]
		if int(e.Seq) > len(list) {
			p.tb.Errorf("lost: %s", line(e))
			continue
		}
		if diff := gocmp.Diff(line(e), line(list[e.Seq-1])); diff != "" {
			p.tb.Errorf("another event stands in its place (-seen +kept)\n%s", diff)
		}
	}
}

func line(e agent.Event) string {
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Sprintf("%+v: %v", e, err)
	}
	return string(raw)
}
