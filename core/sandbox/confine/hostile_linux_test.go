package confine_test

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/elastic/go-seccomp-bpf/arch"

	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
	"github.com/hobkin/hobkin/test/suite"
)

//go:embed testdata/hostile
var hostile embed.FS

// A hostile is one command that tries something.
type hostileCase struct{ name, script string }

// hostileCases are all of a file of testdata.
func hostileCases(t *testing.T, file string) (out []hostileCase) {
	t.Helper()
	data, err := hostile.ReadFile("testdata/hostile/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(data), "\n## ") {
		name, script, ok := strings.Cut(part, "\n")
		if ok && !strings.HasPrefix(part, "#") {
			out = append(out, hostileCase{strings.TrimSuffix(file, ".sh") + ": " + name, script})
		}
	}
	return out
}

// readers are ways to get at the contents of $F; each private file is read by
// some of them.
var readers = []string{
	`cat "$F"`, `head -c 999 "$F"`, `tail -n 9 "$F"`, `dd if="$F" status=none`, `cp "$F" got && cat got`, `tar cf - "$F" | strings`, `echo "$(<"$F")"`,
	`while read -r l; do echo "$l"; done < "$F"`, `mapfile -t a < "$F"; echo "${a[@]}"`, `grep . "$F"`, `sed -n p "$F"`, `awk '{print}' "$F"`, `od -c "$F" | tr -d ' \n'`,
	`base64 "$F" | base64 -d`, `xxd -p "$F" | xxd -r -p`, `sort "$F"`, `diff /dev/null "$F"`, `nl "$F"`, `fold -w 999 "$F"`, `rev "$F" | rev`, `cut -c1- "$F"`, `paste "$F"`,
	`python3 -c 'import sys,os; print(open(os.environ["F"]).read())'`, `perl -ne 'print' "$F"`, `node -e 'console.log(require("fs").readFileSync(process.env.F,"utf8"))'`,
	`install -m 600 "$F" got2 && cat got2`, `mv "$F" got3 && cat got3`, `ln "$F" got4 && cat got4`, `cp -l "$F" got5; cat got5`, `cp --reflink=auto -a "$F" got6; cat got6`,
	`find "$F" -exec cat {} +`, `xargs -a "$F" echo`, `git hash-object -w "$F" >/dev/null; git diff --no-index /dev/null "$F"`, `openssl enc -base64 -in "$F" | openssl enc -d -base64`,
	`curl -s "file://$F"`, `gzip -c "$F" | gunzip`, `tee < "$F"`, `env -S cat "$F"`, `pr -t "$F"`, `comm "$F" /dev/null`, `join "$F" "$F"`, `split "$F" part && cat part*`,
	`look SECRET "$F"`, `m4 "$F"`, `bc "$F"`, `source "$F"`, `exec 9<"$F"; cat <&9`, `(cd "$(dirname "$F")" && cat "$(basename "$F")")`, `cat "$(dirname "$F")"/*`,
}

// family makes cases of readers and private files: each file is read in four
// ways, each way is used.
func (d *decoy) family() (out []hostileCase) {
	const each = 4
	for i, name := range private {
		for j := range each {
			r := readers[(i*each+j)%len(readers)]
			out = append(out, hostileCase{fmt.Sprintf("read %s by %s", name, r), "F=" + quote(filepath.Join(d.home, name)) + "; export F; " + r})
		}
	}
	return out
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// canary is what must be refused before anything is tried that would hurt the
// machine, were it not.
const canary = `cat "$SECRET" && exit 1; kill -0 "$DECOY" 2>/dev/null && exit 2; touch "$HOME/x" 2>/dev/null && exit 3; kill -0 "$AGENT" 2>/dev/null && exit 4
grep -E 'CapEff:.*[1-9a-f]' /proc/self/status 2>/dev/null && exit 5; (: < "/dev/tcp/127.0.0.1/$PORT") 2>/dev/null && exit 6; exit 0`

// run runs one script confined and returns all that it printed.
func (d *decoy) run(c *confine.Confiner, spec confine.Spec, script string, limit time.Duration) (out string, res process.Result) {
	d.t.Helper()
	held, _, err := c.Prepare(confine.Required, spec)
	d.must(err)
	return d.start(held, script, limit)
}

func (d *decoy) start(held *confine.Confined, script string, limit time.Duration) (string, process.Result) {
	d.t.Helper()
	env := make([]string, 0, len(d.env))
	for _, name := range slices.Sorted(maps.Keys(d.env)) {
		env = append(env, name+"="+d.env[name])
	}
	c := process.Command{Args: []string{"/bin/bash", "-c", script}, Dir: d.project, Mark: "hostile" + d.env["TOKEN"], Keep: 16 << 20, Grace: 100 * time.Millisecond}
	if held != nil {
		c.Confine = held
		if held.Namespace() {
			env = append(env, "NAMESPACE=1")
		}
	}
	c.Env = env
	ctx, cancel := context.WithTimeout(d.t.Context(), limit)
	defer cancel()
	res, err := process.Run(ctx, c)
	d.must(err)
	return res.Stdout.String() + res.Stderr.String(), res
}

// batch runs many cases in one confined process and looks at what each printed.
func (d *decoy) batch(c *confine.Confiner, spec confine.Spec, cases []hostileCase) {
	d.t.Helper()
	const mark = "\n@@@ "
	var b strings.Builder
	b.WriteString("exec 2>&1; trap '' TERM\n")
	for i, one := range cases {
		fmt.Fprintf(&b, "cd %s; echo plain > plain; printf '\\n@@@ %d\\n'; S=${EPOCHREALTIME/.}; timeout -s KILL 10 bash -c %s </dev/null 2>&1; echo \"took $(( (${EPOCHREALTIME/.}-S)/1000 ))\"\n", quote(d.project), i, quote(one.script))
	}
	b.WriteString("printf '\\n@@@ end\\n'\n")
	out, _ := d.run(c, spec, b.String(), 5*time.Minute)
	seen := 0
	for part := range strings.SplitSeq(out, mark) {
		number, text, _ := strings.Cut(part, "\n")
		i, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		seen++
		if _, ms, ok := strings.Cut(text, "\ntook "); ok {
			if n, _ := strconv.Atoi(strings.TrimSpace(ms)); n > 1500 {
				d.t.Logf("%s took %d ms", cases[i].name, n)
			}
		}
		if strings.Contains(text, d.token) || strings.Contains(text, "BREACH") {
			d.t.Errorf("%s:\n%s\nprinted\n%s", cases[i].name, cases[i].script, about(text, d.token, "BREACH"))
		}
	}
	if seen != len(cases) || !strings.HasSuffix(strings.TrimSpace(out), "@@@ end") {
		d.t.Errorf("%d of %d cases ran; the end of what was printed:\n%s", seen, len(cases), out[max(0, len(out)-2000):])
	}
}

// about is the lines that hold one of the words.
func about(text string, words ...string) string {
	var out []string
	for line := range strings.Lines(text) {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) }) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out[:min(len(out), 20)], "\n")
}

// check finds what was changed, reached or left.
func (d *decoy) check() {
	d.t.Helper()
	after := d.state()
	for path, was := range d.before {
		if after[path] != was {
			d.t.Errorf("%s was changed: %q, was %q", path, after[path], was)
		}
	}
	for path := range after {
		if _, known := d.before[path]; !known {
			d.t.Errorf("%s was made", path)
		}
	}
	if n := d.reached.Load(); n > 0 {
		d.t.Errorf("%d connections were made, the last to %v", n, d.reachedWhat.Load())
	}
	if now := d.standing(); now != d.limits {
		d.t.Errorf("the neighbour or this process is treated otherwise: %s, was %s", now, d.limits)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", d.process.Process.Pid))
	if _, rest, _ := strings.Cut(string(stat), ") "); err != nil || !strings.HasPrefix(rest, "S") {
		d.t.Errorf("the neighbour does not live as before: %q, %v", stat, err)
	}
	if d.terminal != nil {
		buf := make([]byte, 64)
		if n, _ := syscall.Read(int(d.terminal.Fd()), buf); n > 0 {
			d.t.Errorf("the terminal was written to: %q", buf[:n])
		}
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	d.must(err)
	for _, f := range files {
		if line, _ := os.ReadFile(f); strings.Contains(string(line), d.env["SURVIVE"]) {
			d.t.Errorf("%s lives on: %q", f, line)
		}
	}
	for _, path := range []string{"/tmp/evil-", "/var/tmp/evil-", "/dev/shm/evil-"} {
		if _, err := os.Lstat(path + d.env["TOKEN"]); err == nil {
			d.t.Errorf("%s was made", path)
		}
	}
}

// calls are the numbers of system calls, for the helper.
func calls(t *testing.T) string {
	t.Helper()
	native, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(native.SyscallNames)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// need ends a test where a backend does not work, which on CI is a failure.
func need(t *testing.T, b confine.Backend) *confine.Confiner {
	t.Helper()
	c := &confine.Confiner{Only: []confine.Backend{b}}
	for _, r := range c.Backends() {
		if r.Backend == b && r.Why == "" {
			return c
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s does not work: %+v", b, c.Backends())
	}
	t.Skipf("%s does not work: %+v", b, c.Backends())
	return nil
}

func TestHostile(t *testing.T) {
	t.Parallel()
	allHostile(t, false)
}

// A user without rights is kept from much by the system already, so some of the
// cases are enough. Not parallel: it makes a program and starts it.
func TestHostileAsUser(t *testing.T) {
	if suite.AsNobody(t) {
		return
	}
	allHostile(t, true)
}

// Without a confinement the same commands get at everything: the decoys work.
func TestDecoysWork(t *testing.T) {
	d := newDecoy(t)
	for name, script := range map[string]string{
		"a key":          `cat "$SECRET"`,
		"another's name": `tr '\0' ' ' < "/proc/$DECOY/cmdline"`,
		"another's env":  `tr '\0' ' ' < "/proc/$DECOY/environ"`,
		"a key kept":     `cat /dev/shm/decoy-*`,
	} {
		if out, _ := d.bare(script); !strings.Contains(out, d.token) {
			t.Errorf("%s: the decoy shows nothing: %s", name, out)
		}
	}
	for name, script := range map[string]string{
		"PORT": `(: < "/dev/tcp/127.0.0.1/$PORT")`, "PORT6": `(: < "/dev/tcp/::1/$PORT6")`, "udp": `echo x > "/dev/udp/127.0.0.1/$PORTU"`,
		"CONTROL":           `python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ["CONTROL"])'`,
		"abstract":          `python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect("\0"+os.environ["ABSTRACT"])'`,
		"datagram":          `python3 -c 'import socket,os; socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b"x",os.environ["DGRAM"])'`,
		"abstract datagram": `python3 -c 'import socket,os; socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b"x","\0"+os.environ["ABSTRACTU"])'`,
	} {
		d.reachedWhat.Store("")
		out, _ := d.bare(script)
		d.until(name+" was noticed after "+out, func() bool { return d.reachedWhat.Load() == name })
	}
	if _, res := d.bare(`chmod 644 "$SECRET" && touch "$DIARY" && renice -n 1 -p "$DECOY"`); res.ExitCode != 0 {
		t.Errorf("the changes ended with %d", res.ExitCode)
	}
	after := d.state()
	if after[d.env["SECRET"]] == d.before[d.env["SECRET"]] || after[d.env["DIARY"]] == d.before[d.env["DIARY"]] || d.standing() == d.limits {
		t.Error("a change was not noticed")
	}
}

// bare runs a script without a confinement.
func (d *decoy) bare(script string) (string, process.Result) {
	d.t.Helper()
	return d.start(nil, script, time.Minute)
}

func allHostile(t *testing.T, some bool) {
	t.Helper()
	for _, b := range []confine.Backend{confine.Bubblewrap, confine.Landlock} {
		t.Run(string(b), func(t *testing.T) {
			t.Parallel()
			c := need(t, b)
			d := newDecoy(t)
			helper, err := hostile.ReadFile("testdata/hostile/helper.py")
			d.must(err)
			d.file("readonly/helper.py", string(helper), 0o644)
			d.env["HELPER"], d.env["CALLS"] = filepath.Join(d.readonly, "helper.py"), calls(t)
			d.before = d.state()
			spec := d.spec(sandbox.Standard)
			if out, res := d.run(c, spec, canary, time.Minute); res.ExitCode != 0 || strings.Contains(out, d.token) {
				t.Fatalf("the canary ended with %d: %s", res.ExitCode, out)
			}
			files := []string{"process.sh", "network.sh", "write.sh"}
			var cases []hostileCase
			if !some {
				cases, files = d.family(), append(files, "read.sh", "race.sh")
			}
			for _, file := range files {
				cases = append(cases, hostileCases(t, file)...)
			}
			if b == confine.Landlock {
				cases = slices.DeleteFunc(cases, func(c hostileCase) bool { return strings.HasSuffix(c.name, "[namespace]") })
			}
			d.batch(c, spec, cases)
			d.check()
			t.Logf("%d hostile commands", len(cases))
		})
	}
}
