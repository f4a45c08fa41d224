package system

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// everyHold runs a test with commands that nothing holds, and with those that
// each backend does.
func everyHold(t *testing.T, test func(t *testing.T, run func(shellIn) (string, error), turn capability.Turn)) {
	t.Helper()
	for _, backend := range []confine.Backend{confine.None, confine.Bubblewrap, confine.Landlock} {
		t.Run(string(backend), func(t *testing.T) {
			t.Parallel()
			h, turn := confinedHost(t, confine.Auto, backend)
			if backend == confine.None {
				h.Confine = nil
			} else if held, _, err := h.Confine(turn, nil); held == nil || err != nil {
				t.Skipf("%s does not work here: %v", backend, err)
			}
			h.Env = func() []string {
				return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + turn.Workspace, "LANG=C.UTF-8", "SHELL=/bin/bash"}
			}
			test(t, func(in shellIn) (string, error) {
				res, err := confinedShell(t, h, turn, in)
				var text strings.Builder
				text.WriteString(res.Text)
				for _, s := range res.Streams {
					text.WriteString(s.Text)
				}
				return text.String(), err
			}, turn)
		})
	}
}

// waiting are commands that wait for a person elsewhere. Each ends by itself,
// because it finds no terminal, no input and nothing to edit with.
var waiting = map[string]string{
	"read":             `read -r x || echo end`,
	"cat":              `cat; echo end`,
	"git commit":       `git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty; echo end`,
	"git rebase -i":    `git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a && git rebase -i --root; echo end`,
	"git log":          `git init -q l && cd l && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a && git log; echo end`,
	"crontab -e":       `crontab -e; echo end`,
	"less":             `seq 1 1000 > long; less long | tail -1; echo end`,
	"man":              `man bash | head -1; echo end`,
	"sudo":             `sudo -k true; sudo true; echo end`,
	"ssh":              `ssh -o ConnectTimeout=2 nobody@127.0.0.1 true; echo end`,
	"python":           `/usr/bin/python3 -c 'input("name? ")'; echo end`,
	"editor":           `${EDITOR:-vi} file; ${VISUAL:-vi} file; echo end`,
	"the terminal":     `(exec < /dev/tty) 2>/dev/null || echo end`,
	"stops at reading": `bash -ic 'read -t 1 x < /dev/tty' 2>/dev/null; echo end`,
}

func TestNothingWaitsForAPerson(t *testing.T) {
	everyHold(t, func(t *testing.T, run func(shellIn) (string, error), _ capability.Turn) {
		t.Helper()
		for name, line := range waiting {
			start := time.Now()
			text, err := run(shellIn{Command: line, TimeoutMS: 30_000})
			if err != nil || !strings.Contains(text, "end\n") {
				t.Errorf("%s after %s: %v\n%s", name, time.Since(start), err, text)
			}
		}
	})
}

// leaving are commands that leave something behind, which holds the output open
// or has gone its own way. All of it is ended, and the result says so.
var leaving = map[string]string{
	"a child":         `sleep 4711.5 & echo end`,
	"holds the pipe":  `(trap '' HUP TERM; sleep 4711.5) & echo end`,
	"a daemon":        `setsid sh -c 'trap "" HUP TERM; sleep 4711.5 & wait' & sleep 0.1; echo end`,
	"forked twice":    `(setsid sh -c '(sleep 4711.5 &) ; exit' &) ; sleep 0.1; echo end`,
	"without mark":    `env -i /bin/sleep 4711.5 & sleep 0.1; echo end`,
	"floods the pipe": `(while :; do echo x; done) & echo end; sleep 0.1`,
	"is stopped":      `sleep 4711.5 & kill -STOP $!; echo end`,
	"nohup":           `nohup sleep 4711.5 > /dev/null 2>&1 & sleep 0.1; echo end`,
}

func TestNothingIsLeft(t *testing.T) {
	everyHold(t, func(t *testing.T, run func(shellIn) (string, error), turn capability.Turn) {
		t.Helper()
		for name, line := range leaving {
			start := time.Now()
			text, err := run(shellIn{Command: line, TimeoutMS: 30_000})
			if err != nil || !strings.Contains(text, "end\n") || time.Since(start) > 20*time.Second {
				t.Errorf("%s after %s: %v\n%.300s", name, time.Since(start), err, text)
			}
			if !strings.Contains(text, "What it had left running was ended") {
				t.Errorf("%s: it does not say that something was ended:\n%.300s", name, text)
			}
		}
		for range 5 {
			if text, err := run(shellIn{Command: "seq 3; (exit 3) | cat; echo $(date)"}); err != nil || strings.Contains(text, "left running") {
				t.Errorf("nothing was left: %v\n%s", err, text)
			}
		}
		nothingIn(t, turn.Workspace)
	})
}

// nothingIn holds that no process works in a folder: those of the tests' commands
// do.
func nothingIn(t *testing.T, dir string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, dir) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			t.Errorf("still there: %s %q", link, line)
		}
	}
}

func TestTimedOutWhileStopped(t *testing.T) {
	everyHold(t, func(t *testing.T, run func(shellIn) (string, error), turn capability.Turn) {
		t.Helper()
		for _, line := range []string{`echo so far; kill -STOP $$; echo never`, `echo so far; trap '' TERM HUP; (trap '' TERM; sleep 4712 & setsid sleep 4712) & while :; do sleep 1; done`} {
			start := time.Now()
			text, err := run(shellIn{Command: line, TimeoutMS: 2500})
			if u, ok := capability.AsUserError(err); !ok || u.Code != "timed_out" || !strings.Contains(text, "so far") || time.Since(start) > 15*time.Second {
				t.Errorf("%s after %s: %v %q", line, time.Since(start), err, text)
			}
		}
		nothingIn(t, turn.Workspace)
	})
}

// given are the variables that a command finds where no others are allowed.
const given = "DEBIAN_FRONTEND EDITOR GCM_INTERACTIVE GIT_ASKPASS GIT_EDITOR GIT_PAGER GIT_SEQUENCE_EDITOR GIT_TERMINAL_PROMPT HOBKIN_CALL HOME LANG LESS MANPAGER " +
	"NO_COLOR PAGER PATH PIP_NO_INPUT PWD PYTHONUNBUFFERED SHELL SHLVL SSH_ASKPASS SSH_ASKPASS_REQUIRE SUDO_ASKPASS SYSTEMD_PAGER TERM VISUAL _ "

// A command has its three descriptors and no more (bash keeps 10 for itself), and
// of the environment what is written down, and no more.
func TestWhatACommandGets(t *testing.T) {
	open, err := os.Open("/") // as a library would, without closing it at exec
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Close() }()
	everyHold(t, func(t *testing.T, run func(shellIn) (string, error), _ capability.Turn) {
		t.Helper()
		text, err := run(shellIn{Command: `for n in {0..9} {11..255}; do { : >&$n; } 2>/dev/null || { : <&$n; } 2>/dev/null && echo "fd $n"; done; env | sed 's/=.*//' | grep -vx TMPDIR | LC_ALL=C sort | tr '\n' ' '`})
		if want := "fd 0\nfd 1\nfd 2\n" + given; err != nil || !strings.HasSuffix(text, want) {
			t.Errorf("%v\n%s\nwant %s", err, text, want)
		}
	})
}

func TestOddOutput(t *testing.T) {
	everyHold(t, func(t *testing.T, run func(shellIn) (string, error), turn capability.Turn) {
		t.Helper()
		text, err := run(shellIn{Command: `head -c 30000000 /dev/zero | tr '\0' x; echo; echo end`, TimeoutMS: 60_000})
		if err != nil || !strings.HasSuffix(text, "end\n") || len(text) > 2<<20 || !strings.Contains(text, "bytes left out") {
			t.Errorf("30 MB: %v, %d bytes kept", err, len(text))
		}
		text, err = run(shellIn{Command: `head -c 100000 /dev/urandom; printf '\377\0\033[2J'; echo; echo end`})
		if err != nil || !strings.HasSuffix(text, "end\n") || strings.ToValidUTF8(text, "") != text {
			t.Errorf("binary: %v, %d bytes", err, len(text))
		}
		text, err = run(shellIn{Command: "printf %s '" + strings.Repeat("a", 99_900) + "' | wc -c"})
		if err != nil || !strings.Contains(text, "99900\n") {
			t.Errorf("a long command: %v %q", err, text)
		}
		text, err = run(shellIn{Command: "rm -rf \"$PWD\"/gone; mkdir gone && cd gone && rmdir ../gone && pwd && sleep 0.1; echo end"})
		if err != nil || !strings.HasSuffix(text, "end\n") {
			t.Errorf("a folder that goes: %v %q", err, text)
		}
		gone := filepath.Join(turn.Workspace, "later")
		if err := os.Mkdir(gone, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(gone); err != nil {
			t.Fatal(err)
		}
		if _, err = run(shellIn{Command: "pwd", Workdir: "later"}); err == nil || !strings.Contains(err.Error(), "does not exist") {
			t.Errorf("a folder that is gone: %v", err)
		}
	})
}

// A storm of forks is ended whole, held or not.
func TestForkStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("it keeps the machine busy")
	}
	everyHold(t, func(t *testing.T, run func(shellIn) (string, error), turn capability.Turn) {
		t.Helper()
		start := time.Now()
		_, err := run(shellIn{Command: `storm() { sleep 0.1; storm & storm & wait; }; (storm) 2>/dev/null`, TimeoutMS: 600})
		if err == nil || time.Since(start) > 25*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		nothingIn(t, turn.Workspace)
	})
}

func TestManyInTheBackground(t *testing.T) {
	const many = 50
	b := newBench(t)
	b.host.Limits.Background = many
	var started sync.WaitGroup
	for n := range many {
		started.Go(func() {
			call := capability.Call{ID: fmt.Sprint("many-", n), Name: "shell", Turn: b.turn}
			if _, err := b.host.shell(t.Context(), call, shellIn{Command: "exec sleep 4713", Background: true}); err != nil {
				t.Error(err)
			}
		})
	}
	started.Wait()
	if message, _ := b.fails("shell", `{"command": "true", "background": true}`, "too_many"); !strings.Contains(message, "bg-50 (running)") {
		t.Errorf("message %q", message)
	}
	for n := range keptJobs + 2 {
		b.ok("shell_kill", fmt.Sprintf(`{"id": "bg-%d"}`, n+1))
	}
	b.ok("shell", `{"command": "exec sleep 4713", "background": true}`)
	list := b.host.Background("s")
	if last := list[len(list)-1]; len(list) > many || last.ID != "bg-51" || last.State != Running {
		t.Errorf("%d are listed, the last is %+v", len(list), last)
	}
	b.host.EndSession("s")
	nothingIn(t, b.dir)
	if zombies := zombiesOfOurs(t); zombies > 0 {
		t.Errorf("%d zombies", zombies)
	}
}

// zombiesOfOurs counts children of this program that no one took in. The guard's
// are none of these.
func zombiesOfOurs(t *testing.T) (n int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "--ppid", strconv.Itoa(os.Getpid()), "-o", "stat=").Output()
	if err != nil {
		return 0
	}
	return strings.Count(string(out), "Z")
}
