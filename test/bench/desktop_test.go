package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/test/desk"
	"github.com/hobkin/hobkin/test/suite"
)

const (
	desktopStarts = 7                // of which the first is for the caches
	settle        = 5 * time.Second  // after a start, before it counts as idle
	idle          = 30 * time.Second // that are watched
	patience      = 30 * time.Second // for something that must come
)

// A host is a desk on which the program is started and ended.
type host struct {
	*desk.Desk
	b     *testing.B
	items chan *dbus.Signal // new icons in the tray
}

func newHost(b *testing.B) *host {
	b.Helper()
	h := &host{desk.Start(b), b, make(chan *dbus.Signal, 16)}
	err := h.Bus.AddMatchSignal(dbus.WithMatchInterface("org.kde.StatusNotifierWatcher"), dbus.WithMatchMember("StatusNotifierItemRegistered"))
	if err != nil {
		b.Fatal(err)
	}
	h.Bus.Signal(h.items)
	return h
}

// start starts the program and returns how long it took until its icon was in
// the tray and, when it is not hidden, until its window was on the screen.
func (h *host) start(args ...string) (cmd *exec.Cmd, tray, window time.Duration) {
	h.b.Helper()
	program := filepath.Join(suite.Root(h.b), "bin", "hobkin-desktop")
	begun := time.Now()
	cmd = h.Go(program, args...)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for tray == 0 {
		select {
		case s := <-h.items:
			if s.Name == "org.kde.StatusNotifierWatcher.StatusNotifierItemRegistered" {
				tray = time.Since(begun)
			}
		case <-timer.C:
			h.b.Fatal("no icon came into the tray")
		}
	}
	for len(args) == 0 && window == 0 {
		if h.HasWindow("Hobkin") {
			window = time.Since(begun)
		}
		if time.Since(begun) > patience {
			h.b.Fatal("no window came")
		}
	}
	return cmd, tray, window
}

// control talks to the program that runs.
func (h *host) control(ctx context.Context) *control.Client {
	h.b.Helper()
	var c *control.Client
	h.Until("the control socket", func() bool {
		var err error
		c, err = control.Dial(ctx, filepath.Join(filepath.Dir(h.Home), "run", "hobkin", "control.sock"))
		return err == nil
	})
	return c
}

// quit ends the program as a person does.
func (h *host) quit(ctx context.Context, cmd *exec.Cmd) {
	h.b.Helper()
	if err := h.control(ctx).Quit(ctx); err != nil {
		h.b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		h.b.Fatal(err)
	}
}

// BenchmarkStart reports the time from start to tray, hidden, and to window.
func BenchmarkStart(b *testing.B) {
	h := newHost(b)
	for b.Loop() {
		var trays, windows []float64
		for i := range desktopStarts {
			hidden, tray, _ := h.start("--background")
			h.quit(b.Context(), hidden)
			shown, _, window := h.start()
			h.quit(b.Context(), shown)
			if i > 0 {
				trays, windows = append(trays, tray.Seconds()*1e3), append(windows, window.Seconds()*1e3)
			}
		}
		b.ReportMetric(median(trays), "ms-tray")
		b.ReportMetric(median(windows), "ms-window")
	}
}

// BenchmarkIdle reports what the program takes while nothing happens, without
// a window and then with one.
func BenchmarkIdle(b *testing.B) {
	h := newHost(b)
	for b.Loop() {
		cmd, _, _ := h.start("--background")
		h.watch("hidden", cmd.Process.Pid, 1)
		if err := h.control(b.Context()).ShowWindow(b.Context(), ""); err != nil {
			b.Fatal(err)
		}
		h.Window("Hobkin")
		h.watch("window", cmd.Process.Pid, 2)
		h.quit(b.Context(), cmd)
	}
}

// watch waits and reports memory and processor time of a process and its
// children, of which there must be so many in all.
func (h *host) watch(state string, root, count int) {
	h.b.Helper()
	<-time.After(settle)
	pids := family(h.b, root)
	if len(pids) != count {
		h.b.Fatalf("%s: %d processes, want %d", state, len(pids), count)
	}
	before := h.ticks(pids)
	<-time.After(idle)
	h.b.ReportMetric(float64(h.ticks(pids)-before), "ticks-"+state)
	h.b.ReportMetric(h.memory(pids, "Rss:"), "MB-RSS-"+state)
	h.b.ReportMetric(h.memory(pids, "Pss:"), "MB-PSS-"+state)
}

// family lists a process and its children.
func family(b *testing.B, root int) []int {
	b.Helper()
	id := strconv.Itoa(root)
	tasks, err := filepath.Glob("/proc/" + id + "/task/*/children") // a child belongs to the thread that made it
	if err != nil {
		b.Fatal(err)
	}
	pids := []int{root}
	for _, t := range tasks {
		raw, err := os.ReadFile(t)
		if err != nil {
			continue // the thread has ended
		}
		for f := range strings.FieldsSeq(string(raw)) {
			pid, err := strconv.Atoi(f)
			if err != nil {
				b.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// ticks is the processor time, in ticks of 10 ms.
func (h *host) ticks(pids []int) (sum int) {
	h.b.Helper()
	for _, pid := range pids {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			h.b.Fatal(err)
		}
		f := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		if f[0] == "Z" {
			h.b.Fatalf("process %d ended while it was watched", pid)
		}
		for _, v := range f[11:13] { // user and system
			n, err := strconv.Atoi(v)
			if err != nil {
				h.b.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

// memory is a sum over the mappings of the processes, in MB.
func (h *host) memory(pids []int, name string) (sum float64) {
	h.b.Helper()
	for _, pid := range pids {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
		if err != nil {
			h.b.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), name)
		kb, err := strconv.ParseFloat(strings.Fields(rest + " ?")[0], 64)
		if err != nil {
			h.b.Fatalf("%s of process %d: %v", name, pid, err)
		}
		sum += kb * 1024 / 1e6
	}
	return sum
}
