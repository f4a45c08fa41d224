package confine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// everyday are commands of developers that must work, each with a program that
// it needs and a part of what it prints.
var everyday = []struct{ needs, script, want string }{
	{"git", `git init -q r && cd r && git config user.email a@b && git config user.name a && echo x > f && git add . && git commit -qm one && git log --oneline | wc -l`, "1"},
	{"git", `cd r && echo y >> f && git status --short && git diff --stat && git stash -q && git stash pop -q && git commit -qam two && git branch b && git checkout -q b && git merge -q master 2>/dev/null || git merge -q main; git rev-parse --is-inside-work-tree`, "true"},
	{"git", `git clone -q r r2 && git -C r2 log -1 --format=%s`, "two"},
	{"git", `git config user.name || git config --global user.name`, "Decoy"},
	{"go", `go version && go env GOMODCACHE`, "go1"},
	{"go", `mkdir -p hello && cd hello && printf 'module hello\n\ngo 1.21\n' > go.mod && printf 'package main\n\nfunc main() { println("hi from go") }\n' > main.go && go build -o hello . && ./hello`, "hi from go"},
	{"gcc", `printf '#include <stdio.h>\nint main(void) { puts("hi from c"); }\n' > a.c && gcc -o a a.c && ./a`, "hi from c"},
	{"make", `printf 'all: x\n\t@cat x\nx:\n\t@echo made > x\n' > Makefile && make -s`, "made"},
	{"python3", `python3 -c 'import json, ssl, sqlite3, tempfile; print(json.dumps(len(tempfile.mkdtemp()) > 1))'`, "true"},
	{"python3", `python3 -m venv --without-pip v && v/bin/python -c 'print("venv")'`, "venv"},
	{"python3", `python3 -c 'import subprocess; print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout)'`, "child"},
	{"python3", `python3 -c 'import threading as t; a = [t.Thread(target=print, args=("thread",)) for _ in range(8)]; [x.start() for x in a]; [x.join() for x in a]'`, "thread"},
	{"python3", `python3 -c 'import sqlite3; d = sqlite3.connect("x.db"); d.execute("pragma journal_mode=wal"); d.execute("create table t(a)"); d.commit(); print(d.execute("select count(*) from t").fetchone())'`, "(0,)"},
	{"perl", `perl -e 'print "perl\n"'`, "perl"},
	{"node", `node -e 'const fs=require("fs"); fs.writeFileSync("n.txt","node"); console.log(fs.readFileSync("n.txt","utf8"))'`, "node"},
	{"npm", `npm --version >/dev/null && echo npm`, "npm"},
	{"npm", `mkdir -p pkg && cd pkg && npm init -y >/dev/null && npm pkg get name`, "pkg"},
	{"tar", `mkdir -p d/e && echo 1 > d/e/f && tar czf d.tgz d && rm -rf d && tar xzf d.tgz && cat d/e/f`, "1"},
	{"tar", `tar xpf d.tgz && stat -c %A d/e`, "drwx"},
	{"zip", `zip -qr d.zip d && unzip -qo d.zip && echo zipped`, "zipped"},
	{"sed", `echo abc > s && sed -i s/b/B/ s && cat s`, "aBc"},
	{"mktemp", `f=$(mktemp) && echo t > "$f" && cat "$f" && d=$(mktemp -d) && touch "$d/x" && ls "$d"`, "x"},
	{"sort", `seq 200000 | sort -R -S 1M | sort -n -S 1M | tail -1`, "200000"},
	{"bash", `cat <<< here && cat << E
doc
E
diff <(echo a) <(echo a) && echo same`, "same"},
	{"bash", `sleep 60 & kill $! && wait $! 2>/dev/null; echo waited $?`, "waited 143"},
	{"bash", `(trap 'echo trapped' USR1; kill -USR1 $BASHPID)`, "trapped"},
	{"chmod", `echo 'echo ran' > run.sh && chmod +x run.sh && ./run.sh && chmod 600 run.sh && stat -c %a run.sh`, "600"},
	{"touch", `touch -d '2001-02-03 00:00:00 UTC' old && TZ=UTC stat -c %y old`, "2001-02-03"},
	{"cp", `mkdir -p c1/c2 && echo x > c1/c2/x && cp -a c1 c3 && ln -s c3 c4 && cat c4/c2/x && mv c3 c5 && rm -rf c1 c5 && echo copied`, "copied"},
	{"chown", `touch own && chown "$(id -u):$(id -g)" own && echo owned`, "owned"},
	{"install", `install -D -m 755 /bin/true bin/tool && bin/tool && echo installed`, "installed"},
	{"ln", `echo h > h1 && ln h1 h2 && cat h2 && stat -c %h h1`, "2"},
	{"find", `find . -name '*.c' | xargs grep -l main`, "a.c"},
	{"awk", `awk 'BEGIN { print 6 * 7 }'`, "42"},
	{"date", `TZ=America/New_York date -d @0 +%H`, "19"},
	{"locale", `locale -a | grep -ci '^c'`, ""},
	{"date", `LC_ALL=C.UTF-8 date -d @0 +%B`, "January"},
	{"id", `id -un && whoami && echo $HOME && pwd`, "/project"},
	{"df", `df . | tail -1 | wc -l && du -s . >/dev/null && echo sized`, "sized"},
	{"nproc", `nproc`, ""},
	{"xargs", `seq 20 | xargs -P 4 -n 1 echo | sort -n | tail -1`, "20"},
	{"flock", `flock lock echo locked`, "locked"},
	{"mkfifo", `mkfifo p && (echo through > p &) && cat p`, "through"},
	{"openssl", `openssl rand -hex 4 | wc -c`, "9"},
	{"gzip", `echo z | gzip | gunzip`, "z"},
	{"patch", `printf 'a\n' > pt && printf -- '--- pt\n+++ pt\n@@ -1 +1 @@\n-a\n+b\n' | patch -s -p0 && cat pt`, "b"},
	{"dd", `dd if=/dev/zero of=zeros bs=1M count=8 status=none && stat -c %s zeros && head -c 4 /dev/urandom | wc -c`, "4"},
	{"bash", `echo to null > /dev/null && echo to err >/dev/stderr && cat /dev/null && echo nulls`, "nulls"},
	{"cat", `cat "$READONLY"`, "to be read"},
	{"cat", `head -1 /etc/passwd && cat /etc/hostname >/dev/null && getent passwd root`, "root"},
	{"env", `test "$TMPDIR" && test "$XDG_CACHE_HOME" && mkdir -p "$XDG_CACHE_HOME/x" && touch "$XDG_CACHE_HOME/x/y" && echo cached`, "cached"},
	{"curl", `curl -s --max-time 5 "$SERVER/"`, "served"},
	{"python3", `python3 -c 'import urllib.request,os; print(urllib.request.urlopen(os.environ["SERVER"]).read())'`, "served"},
	{"python3", `python3 -m http.server 0 --bind 127.0.0.1 > log 2>&1 & sleep 1; kill $! && echo listened`, "listened"},
	{"timeout", `timeout 0.1 sleep 5; echo $?`, "124"},
	{"nohup", `nohup true >/dev/null 2>&1; echo $?`, "0"},
	{"man", `MANPAGER=cat man -w ls >/dev/null 2>&1; echo manual`, "manual"},
	{"gdb", `gdb --version | head -1`, "gdb"},
}

// inNamespace work with bubblewrap, and not with Landlock alone.
var inNamespace = []struct{ needs, script, want string }{
	{"ps", `ps -o comm= | grep -c ps`, "1"},
	{"bash", `ls /proc/self/fd >/dev/null && cat /proc/self/status | head -1`, "Name"},
	{"script", `script -qc 'echo in a terminal' /dev/null`, "in a terminal"},
	{"python3", `python3 -c 'import multiprocessing as m; print(sum(m.Pool(2).map(abs, [-1, -2])))'`, "3"},
	{"python3", `python3 -c 'import socket; a = socket.socket(socket.AF_UNIX); a.bind("u.sock"); a.listen(); b = socket.socket(socket.AF_UNIX); b.connect("u.sock"); print("unix")'`, "unix"},
	{"python3", `python3 -c 'from multiprocessing import shared_memory as s; x = s.SharedMemory(create=True, size=64); x.close(); x.unlink(); print("shared")'`, "shared"},
	{"setsid", `setsid -w echo detached`, "detached"},
	{"bash", `echo x > /tmp/y && cat /tmp/y && echo z > /var/tmp/z && ls -d ~`, "home"},
	{"ls", `ls / && ls /etc`, "passwd"},
}

func TestEveryday(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "served") }))
	t.Cleanup(server.Close)
	for _, b := range []confine.Backend{confine.Bubblewrap, confine.Landlock} {
		t.Run(string(b), func(t *testing.T) {
			t.Parallel()
			c := need(t, b)
			d := newDecoy(t)
			d.file(".gitconfig", "[user]\n\tname = Decoy\n\temail = d@e\n", 0o644)
			d.env["SERVER"] = server.URL
			spec := d.spec(sandbox.Standard)
			spec.Network = confine.NetworkOn
			spec.Tmp = filepath.Join(d.home, ".cache/hobkin/commands/tmp")
			cases := everyday
			if b == confine.Bubblewrap {
				cases = append(slices.Clip(cases), inNamespace...)
			}
			if out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output(); err == nil { // building the library anew takes a minute
				d.env["GOCACHE"] = strings.TrimSpace(string(out))
				spec.Write = append(spec.Write, d.env["GOCACHE"])
			}
			ran := 0
			for _, one := range cases {
				if _, err := exec.LookPath(one.needs); err != nil {
					t.Logf("%s is not installed", one.needs)
					continue
				}
				ran++
				out, res := d.run(c, spec, one.script, 2*time.Minute)
				if res.ExitCode != 0 || !strings.Contains(out, one.want) {
					t.Errorf("%s\nended with %d and printed, without %q:\n%s", one.script, res.ExitCode, one.want, out)
				}
			}
			t.Logf("%d everyday commands", ran)
			info, err := os.Stat(filepath.Join(d.project, "hello/hello"))
			if err != nil || info.Mode().Perm()&0o100 == 0 {
				t.Errorf("what was built is not there for the user: %v, %v", info, err)
			}
			d.ownsAll()
		})
	}
}

// ownsAll holds that all that was written is an ordinary file of the user.
func (d *decoy) ownsAll() {
	d.t.Helper()
	out, err := exec.CommandContext(d.t.Context(), "find", d.project, "(", "-not", "-uid", strconv.Itoa(os.Getuid()), "-o", "-type", "d", "-not", "-readable", ")").CombinedOutput()
	if err != nil || len(out) > 0 {
		d.t.Errorf("not the user's: %s %v", out, err)
	}
}
