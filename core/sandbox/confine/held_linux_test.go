package confine_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// held starts a script under a backend.
func (d *decoy) held(ctx context.Context, b confine.Backend, spec confine.Spec, script string) *process.Process {
	d.t.Helper()
	c, _, err := need(d.t, b).Prepare(confine.Required, spec) //nolint:contextcheck // what was tried is kept for all that ask later
	d.must(err)
	p, err := process.Start(ctx, process.Command{
		Args: []string{"bash", "-c", script}, Dir: d.project, Env: []string{"PATH=" + d.env["PATH"], "S=" + d.env["SURVIVE"]},
		Mark: "held" + d.env["TOKEN"], Confine: c, Grace: 5 * time.Second,
	})
	d.must(err)
	return p
}

// until waits for a condition.
func (d *decoy) until(what string, ok func() bool) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			d.t.Fatalf("waited in vain until %s", what)
		case <-tick.C:
		}
	}
}

func (d *decoy) exists(name string) bool {
	_, err := os.Stat(filepath.Join(d.project, name))
	return err == nil
}

// alive counts processes that sleep for as long as no other does.
func (d *decoy) alive() (n int) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	d.must(err)
	for _, f := range files {
		if line, _ := os.ReadFile(f); strings.HasPrefix(string(line), "sleep\x00") && strings.Contains(string(line), d.env["SURVIVE"]) {
			n++
		}
	}
	return n
}

func forBoth(t *testing.T, test func(t *testing.T, b confine.Backend)) {
	t.Helper()
	for _, b := range []confine.Backend{confine.Bubblewrap, confine.Landlock} {
		t.Run(string(b), func(t *testing.T) { test(t, b) })
	}
}

// A command that is stopped can still clean up.
func TestStoppedPolitely(t *testing.T) {
	forBoth(t, func(t *testing.T, b confine.Backend) {
		t.Helper()
		d := newDecoy(t)
		p := d.held(t.Context(), b, d.spec(sandbox.Standard), `trap 'sleep 0.3; touch cleaned; exit 5' TERM; touch up; while :; do sleep 0.05; done`)
		d.until("it is up", func() bool { return d.exists("up") })
		p.Kill()
		if res := p.Wait(); !d.exists("cleaned") || !res.Stopped || res.ExitCode != 5 {
			t.Errorf("ended with %+v, cleaned %v; want 5", res, d.exists("cleaned"))
		}
	})
}

func TestStoppedForGood(t *testing.T) {
	forBoth(t, func(t *testing.T, b confine.Backend) {
		t.Helper()
		d := newDecoy(t)
		ctx, cancel := context.WithCancel(t.Context())
		script := `trap '' TERM; setsid sleep 1$S & (sleep 2$S &) ; touch up; sleep 3$S & wait; sleep 4$S`
		c, _, err := need(t, b).Prepare(confine.Required, d.spec(sandbox.Standard))
		d.must(err)
		p, err := process.Start(ctx, process.Command{
			Args: []string{"bash", "-c", script}, Dir: d.project, Env: []string{"PATH=" + d.env["PATH"], "S=" + d.env["SURVIVE"]},
			Mark: "held" + d.env["TOKEN"], Confine: c, Grace: 200 * time.Millisecond,
		})
		d.must(err)
		d.until("it is up", func() bool { return d.exists("up") && d.alive() >= 3 })
		cancel()
		p.Wait()
		d.until("nothing is left", func() bool { return d.alive() == 0 })
	})
}

// agentThatIsKilled runs a confined command and waits to be killed.
func agentThatIsKilled(backend string) {
	dir, survive := os.Getenv("HOBKIN_TEST_DIR"), os.Getenv("HOBKIN_TEST_SURVIVE")
	c, _, err := (&confine.Confiner{Only: []confine.Backend{confine.Backend(backend)}}).Prepare(confine.Required, confine.Spec{Write: []string{dir}})
	if err != nil {
		panic(err)
	}
	_, _ = process.Run(context.Background(), process.Command{
		Args: []string{"bash", "-c", "setsid sleep 1$S & sleep 2$S & touch up; wait"}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin", "S=" + survive}, Mark: "held" + survive, Confine: c,
	})
}

func TestKillOfTheAgentLeavesNothing(t *testing.T) {
	forBoth(t, func(t *testing.T, b confine.Backend) {
		t.Helper()
		need(t, b)
		d := newDecoy(t)
		self, err := os.Executable()
		d.must(err)
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), "HOBKIN_TEST_AGENT="+string(b), "HOBKIN_TEST_DIR="+d.project, "HOBKIN_TEST_SURVIVE="+d.env["SURVIVE"], "TMPDIR="+t.TempDir())
		d.must(cmd.Start())
		d.until("it is up", func() bool { return d.exists("up") && d.alive() == 2 })
		d.must(cmd.Process.Kill())
		_ = cmd.Wait()
		d.until("nothing is left", func() bool { return d.alive() == 0 })
	})
}

func TestListenersAreSeen(t *testing.T) {
	forBoth(t, func(t *testing.T, b confine.Backend) {
		t.Helper()
		d := newDecoy(t)
		spec := d.spec(sandbox.Standard)
		spec.Network = confine.NetworkOn
		p := d.held(t.Context(), b, spec, `exec python3 -c '
import socket, time
s = socket.socket(); s.bind(("0.0.0.0", 0)); s.listen(); open("up", "w").close(); time.sleep(60)'`)
		d.until("it is up", func() bool { return d.exists("up") })
		got := p.Listening()
		p.Kill()
		p.Wait()
		if len(got) != 1 || !got[0].Addr().IsUnspecified() {
			t.Errorf("listens at %v, want one address for everyone", got)
		}
	})
}

// In the mode open the whole home may be used, but nothing that is protected,
// be it there or not.
func TestOpenHome(t *testing.T) {
	forBoth(t, func(t *testing.T, b confine.Backend) {
		t.Helper()
		c := need(t, b)
		d := newDecoy(t)
		d.file("Documents/a.txt", "mine", 0o644)
		d.before = d.state()
		out, _ := d.run(c, d.spec(sandbox.Open), `
cd "$HOME"; for f in $(find . -type f 2>/dev/null) .ssh/* .aws/* .config/gh/* .config/hobkin/* .local/share/hobkin/* .netrc .npmrc; do case $f in *private/*|*other/*|*rc|*profile|*history|*autostart*) ;; *) cat "$f" ;; esac; done
for f in .ssh .vault-token .config/op .azure .config/hobkin .local/share/hobkin .gnupg; do mkdir -p "$f/x"; echo evil > "$f"; echo evil > "$f/authorized_keys"; done
mv .config c2; mv .ssh s2; mv .local l2; ln .ssh/id_ed25519 Documents/k; ln -s .ssh Documents/s; cat Documents/s/*; rm -rf .aws .gnupg; echo evil > .ssh2; chmod 777 .ssh/id_ed25519 .
echo more >> Documents/a.txt && echo new > Documents/b.txt && rm -f Documents/k Documents/s && echo wrote`, time.Minute)
		if strings.Contains(out, d.token) || !strings.Contains(out, "wrote") {
			t.Errorf("printed\n%s", about(out, d.token, "wrote"))
		}
		changed := map[string]bool{}
		for path, is := range d.state() {
			if d.before[path] != is {
				changed[strings.TrimPrefix(path, d.home+"/")] = true
			}
			delete(d.before, path)
		}
		for path := range d.before {
			t.Errorf("%s is gone", path)
		}
		delete(changed, "Documents")
		delete(changed, "Documents/a.txt")
		delete(changed, "Documents/b.txt")
		if len(changed) > 0 {
			t.Errorf("changed: %v", changed)
		}
	})
}

// Thousands of commands in a session leave nothing open.
func TestNothingStaysOpen(t *testing.T) {
	forBoth(t, func(t *testing.T, b confine.Backend) {
		t.Helper()
		c := need(t, b)
		t.Setenv("TMPDIR", t.TempDir()) // others work in the one of the machine
		d := newDecoy(t)
		count := func(dir string) int {
			entries, err := os.ReadDir(dir)
			d.must(err)
			return len(entries)
		}
		spec := d.spec(sandbox.Standard)
		d.run(c, spec, "true", time.Minute)
		files, threads, tmp := count("/proc/self/fd"), count("/proc/self/task"), count(os.TempDir())
		for range 20 {
			d.run(c, spec, "chmod 600 plain; true", time.Minute)
		}
		if got := count("/proc/self/fd"); got > files {
			t.Errorf("%d files are open, %d were", got, files)
		}
		if got := count("/proc/self/task"); got > threads+10 {
			t.Errorf("%d threads, %d there were", got, threads)
		}
		if got := count(os.TempDir()); got > tmp {
			t.Errorf("%d temporary files, %d there were", got, tmp)
		}
	})
}

func TestProve(t *testing.T) {
	for _, b := range []confine.Backend{confine.Bubblewrap, confine.Landlock} {
		t.Run(string(b), func(t *testing.T) {
			if err := need(t, b).Prove(t.Context(), b); err != nil {
				t.Error(err)
			}
		})
	}
}

// With the network on a command shares the machine's network, in which the
// abstract sockets of other programs are, such as that of the display.
func TestAbstractSocketsWithTheNetworkOn(t *testing.T) {
	forBoth(t, func(t *testing.T, b confine.Backend) {
		t.Helper()
		c := need(t, b)
		d := newDecoy(t)
		spec := d.spec(sandbox.Standard)
		spec.Network = confine.NetworkOn
		out, _ := d.run(c, spec, `python3 -c 'import socket,os; socket.create_connection(("127.0.0.1",int(os.environ["PORT"])),5); print("network")'
python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect("\0"+os.environ["ABSTRACT"]); print("BREACH")'
python3 -c 'import socket,os; socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b"x","\0"+os.environ["ABSTRACTU"]); print("BREACH")'`, time.Minute)
		d.until("the network is seen to be on", func() bool { return d.reached.Load() > 0 })
		if !strings.Contains(out, "network") || strings.Contains(out, "BREACH\n") || d.reached.Load() != 1 {
			t.Errorf("%d were reached, the last %v:\n%s", d.reached.Load(), d.reachedWhat.Load(), out)
		}
	})
}
