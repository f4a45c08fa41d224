package chromium_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/browser/cdp"
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("HOBKIN_TEST_BROWSER_AGENT"); dir != "" {
		agentThatIsKilled(dir)
		return
	}
	os.Exit(browsertest.Main(m)) //nolint:forbidigo // the program of a test
}

func start(t *testing.T, o chromium.Options) *chromium.Process {
	t.Helper()
	p, err := chromium.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

func temp(t *testing.T) *chromium.Profile {
	t.Helper()
	p, err := chromium.TempProfile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Both kinds of browser start, answer, and leave no process and no profile.
func TestStartAndClose(t *testing.T) {
	for name, binary := range map[string]chromium.Binary{"shell": browsertest.Binary(t), "full": browsertest.Full(t)} {
		t.Run(name, func(t *testing.T) {
			profile := temp(t)
			p := start(t, chromium.Options{Binary: binary, Profile: profile})
			if p.Version < chromium.MinVersion || !strings.Contains(p.Product, "/") {
				t.Errorf("version %d of %q", p.Version, p.Product)
			}
			if runtime.GOOS == "linux" { // where processes can be told
				browsertest.Until(t, func() bool { return len(process.InSession(p.PID())) > 1 })
			}
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if left := append(process.Marked(p.Mark()), process.InSession(p.PID())...); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
			if err := profile.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(profile.Dir()); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the temporary profile is left: %v", err)
			}
		})
	}
}

// The browser gets no keys of this program, and the sandbox is given up for
// root only.
func TestWhatABrowserGets(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-test")
	profile := temp(t)
	defer func() { _ = profile.Close() }()
	p := start(t, chromium.Options{Binary: browsertest.Binary(t), Profile: profile})
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID()))
	if err != nil {
		t.Skip("the environment of a process cannot be read on this system")
	}
	if strings.Contains(string(env), "sk-test") {
		t.Error("a key reached the browser")
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Contains(string(line), "--no-sandbox"), os.Geteuid() == 0; got != want {
		t.Errorf("--no-sandbox is given: %v; root: %v", got, want)
	}
	if strings.Contains(string(line), "remote-debugging-port") {
		t.Error("the browser listens on a port")
	}
	_ = p.Kill() // before its profile goes
}

// A named profile keeps what is in it, and one program at a time has it.
func TestProfiles(t *testing.T) {
	root := t.TempDir()
	p, err := chromium.OpenProfile(t.Context(), root, "work")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := chromium.OpenProfile(ctx, root, "work"); !errors.Is(err, chromium.ProfileLocked) || time.Since(began) > 5*time.Second {
		t.Errorf("a second user of the profile: %v after %v", err, time.Since(began))
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "..", "a/b", ".x", strings.Repeat("a", 65), "a b", "\x00"} {
		if _, err := chromium.OpenProfile(t.Context(), root, name); !errors.Is(err, chromium.BadProfile) {
			t.Errorf("profile %q: %v", name, err)
		}
	}
}

// The mark of a browser that lives is respected, of one that was killed removed.
func TestMarksOfOtherBrowsers(t *testing.T) {
	root := t.TempDir()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "p")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lives := exec.CommandContext(t.Context(), "sh", "-c", "read -r x; : "+dir) // its line names the profile, as a browser's does
	in, err := lives.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := lives.Start(); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, "SingletonLock")
	if err := os.Symlink(fmt.Sprintf("%s-%d", host, lives.Process.Pid), lock); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := chromium.OpenProfile(ctx, root, "p"); !errors.Is(err, chromium.ProfileLocked) || !strings.Contains(err.Error(), "process") {
		t.Errorf("a browser that lives: %v", err)
	}
	_ = in.Close()
	_ = lives.Wait()
	p, err := chromium.OpenProfile(t.Context(), root, "p")
	if err != nil {
		t.Fatalf("a browser that was killed: %v", err)
	}
	defer func() { _ = p.Close() }()
	if _, err := os.Lstat(lock); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its mark stays: %v", err)
	}
	if err := errors.Join(p.Close(), os.Symlink(fmt.Sprintf("the-old-name-%d", os.Getpid()), lock)); err != nil {
		t.Fatal(err)
	}
	if p, err = chromium.OpenProfile(t.Context(), root, "p"); err != nil {
		t.Errorf("a mark of this machine under its old name: %v", err)
	}
}

// What keeps a browser from starting is told in the words of the person, with
// what helps.
func TestBrowsersThatDoNotStart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil { //nolint:gosec // a program of the test
			t.Fatal(err)
		}
		return path
	}
	for name, tt := range map[string]struct {
		script string
		want   *capability.Failure
		says   string
	}{
		"no sandbox":    {"#!/bin/sh\necho '[1:1:FATAL:zygote_host_impl_linux.cc] No usable sandbox! If you are running' >&2; exit 1", chromium.NoSandbox, "sandbox"},
		"no display":    {"#!/bin/sh\necho 'ERROR:ozone_platform_x11.cc Missing X server or $DISPLAY' >&2; exit 1", chromium.NoDisplay, "display"},
		"profile":       {"#!/bin/sh\necho 'Opening in existing browser session.'; exit 0", chromium.ProfileLocked, "profile"},
		"broken":        {"#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2; exit 127", chromium.StartFailed, "libnss3.so"},
		"says nothing":  {"#!/bin/sh\nexit 3", chromium.StartFailed, "nothing"},
		"no executable": {"no program", chromium.StartFailed, "cannot be started"},
		"too old": {`#!/bin/sh
head -c 1 <&3 >/dev/null
printf '{"id":1,"result":{"product":"Chrome/90.0.1"}}\000' >&4
cat <&3 >/dev/null`, chromium.TooOld, "Chrome/90.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			profile := temp(t)
			defer func() { _ = profile.Close() }()
			path := write(strings.ReplaceAll(name, " ", "-"), tt.script, 0o700)
			_, err := chromium.Start(t.Context(), chromium.Options{Binary: chromium.Binary{Path: path}, Profile: profile})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v; want %s with %q", err, tt.want.Code, tt.says)
			}
		})
	}
}

// A start that is stopped leaves nothing.
func TestStoppedStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "silent")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nread -r x <&3"), 0o700); err != nil { //nolint:gosec // a program of the test
		t.Fatal(err)
	}
	profile := temp(t)
	defer func() { _ = profile.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := chromium.Start(ctx, chromium.Options{Binary: chromium.Binary{Path: path}, Profile: profile}); !errors.Is(err, chromium.StartFailed) {
		t.Errorf("got %v", err)
	}
}

// A browser that is stopped by a signal is ended all the same.
func TestHungBrowserIsEnded(t *testing.T) {
	profile := temp(t)
	p := start(t, chromium.Options{Binary: browsertest.Binary(t), Profile: profile})
	if err := exec.CommandContext(t.Context(), "kill", "-STOP", strconv.Itoa(p.PID())).Run(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := p.Conn.Root().Call(ctx, "Browser.getVersion", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a hung browser answered: %v", err)
	}
	began := time.Now()
	_ = p.Kill()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if left := process.Marked(p.Mark()); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if err := p.Conn.Root().Call(t.Context(), "Browser.getVersion", nil, nil); !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := profile.Close(); err != nil {
		t.Error(err)
	}
}

// agentThatIsKilled starts a browser in dir, says what it is and waits to be
// killed.
func agentThatIsKilled(dir string) {
	profile, err := chromium.TempProfile(dir)
	if err != nil {
		panic(err)
	}
	b, err := chromium.Find(chromium.Search{Headless: true})
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString("profile\n")
	p, err := chromium.Start(context.Background(), chromium.Options{Binary: b, Profile: profile})
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString(strconv.Itoa(p.PID()) + "\n")
	select {}
}

// A browser starts, or says why it does not, whatever language its user speaks.
func TestLanguages(t *testing.T) {
	for _, lang := range []string{"de_DE.UTF-8", ""} {
		environ := append(os.Environ(), "LANG="+lang, "LC_ALL="+lang, "LANGUAGE="+lang)
		profile := temp(t)
		p := start(t, chromium.Options{Binary: browsertest.Binary(t), Profile: profile, Environ: environ})
		if err := errors.Join(p.Kill(), profile.Close()); err != nil {
			t.Error(err)
		}
		if os.Getenv("DISPLAY") != "" || lang == "" {
			continue
		}
		window := temp(t)
		if _, err := chromium.Start(t.Context(), chromium.Options{Binary: browsertest.Full(t), Profile: window, Window: true, Environ: environ}); !errors.Is(err, chromium.NoDisplay) {
			t.Errorf("%s: a window without a display: %v", lang, err)
		}
		if err := window.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An ordinary user keeps the sandbox of the pages: the processes that show them
// are in namespaces of their own.
func TestSandboxOfAnOrdinaryUser(t *testing.T) {
	if os.Getenv("HOBKIN_TEST_AS_USER") != "" {
		userWithSandbox(t)
		return
	}
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root can become another user; the tests of an ordinary user have its sandbox anyway")
	}
	b := browsertest.Binary(t)
	dir, err := os.MkdirTemp("/tmp", "hobkin-sandbox-") //nolint:usetesting // another user must get into it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	self := filepath.Join(dir, "test")
	if err := errors.Join(os.Chmod(dir, 0o755), copyFile(os.Args[0], self), os.Mkdir(filepath.Join(dir, "home"), 0o700), os.Chown(filepath.Join(dir, "home"), nobody, nobody)); err != nil { //nolint:gosec // another user must get into it
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestSandboxOfAnOrdinaryUser$", "-test.v") //nolint:gosec // this test's own program
	cmd.Dir = filepath.Join(dir, "home")
	cmd.Env = []string{"HOBKIN_TEST_AS_USER=1", "CHROME_PATH=" + b.Path, "HOME=" + cmd.Dir, "TMPDIR=" + cmd.Dir, "PATH=" + os.Getenv("PATH")}
	asNobody(cmd)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "seccomp 2") {
		t.Errorf("%v: %s", err, out)
	}
}

// nobody is the number of the user that has nothing.
const nobody = 65534

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o755) //nolint:gosec // another user must run it
}

func userWithSandbox(t *testing.T) {
	t.Helper()
	profile := temp(t)
	defer func() { _ = profile.Close() }()
	p := start(t, chromium.Options{Binary: browsertest.Binary(t), Profile: profile})
	defer func() { _ = p.Kill() }()
	if p.Options().Unsandboxed() {
		t.Error("the sandbox was given up")
	}
	browsertest.Until(t, func() bool {
		for _, pid := range process.InSession(p.PID()) {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if strings.Contains(string(line), "--type=renderer") && strings.Contains(string(status), "Seccomp:\t2") {
				return true
			}
		}
		return false
	})
	t.Log("a page's process has seccomp 2")
}
