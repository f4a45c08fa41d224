package confine_test

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

func TestMain(m *testing.M) {
	confine.Inside()
	if backend := os.Getenv("HOBKIN_TEST_AGENT"); backend != "" {
		agentThatIsKilled(backend)
		return
	}
	goleak.VerifyTestMain(m)
}

// A decoy is a home with everything that hostile commands are after, a process
// beside them, and listeners that count who comes.
type decoy struct {
	t                *testing.T
	base, home       string
	project          string // the granted folder
	readonly         string // a folder that may only be read
	token            string // is in every secret
	env              map[string]string
	process          *exec.Cmd
	before           map[string]string
	limits           string // of the process and of this one
	reached          atomic.Int64
	reachedWhat      atomic.Value
	terminal         *os.File
	config, database string
	blob             string // in the store of the other repository
}

// private are files that no command may read or change.
var private = []string{
	".ssh/id_ed25519", ".ssh/authorized_keys", ".ssh/config", ".aws/credentials", ".gnupg/private-keys-v1.d/a.key", ".kube/config", ".docker/config.json",
	".mozilla/firefox/a.default/logins.json", ".config/google-chrome/Default/Cookies", ".local/share/keyrings/login.keyring", ".netrc", ".git-credentials",
	".npmrc", ".cargo/credentials.toml", ".claude/credentials.json", ".config/gh/hosts.yml", ".config/hobkin/config.toml", ".local/share/hobkin/hobkin.db",
	".local/state/hobkin/logs/hobkin.log", ".bashrc", ".profile", ".bash_history", "private/diary.txt", ".config/autostart/a.desktop",
}

func newDecoy(t *testing.T) *decoy {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "decoy-") //nolint:usetesting // /tmp is one of its own for commands
	if err != nil {
		base = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	d := &decoy{t: t, base: base, home: filepath.Join(base, "home"), token: "SECRET" + rand.Text()}
	d.project, d.readonly = filepath.Join(d.home, "project"), filepath.Join(d.home, "readonly")
	d.config, d.database = filepath.Join(d.home, ".config/hobkin/config.toml"), filepath.Join(d.home, ".local/share/hobkin/hobkin.db")
	for _, name := range private {
		d.file(name, d.token+" of "+name+"\n", 0o600)
	}
	d.file("readonly/a.txt", "to be read\n", 0o644)
	d.file("project/plain", "plain\n", 0o644)
	d.must(os.Mkdir(filepath.Join(d.home, ".cache"), 0o755))
	d.must(os.Symlink(".bashrc", filepath.Join(d.home, "link")))
	d.repository()
	d.env = map[string]string{
		"HOME": d.home, "PROJECT": d.project, "READONLY": filepath.Join(d.readonly, "a.txt"), "TOKEN": strings.ToLower(rand.Text()),
		"SECRET": filepath.Join(d.home, ".ssh/id_ed25519"), "DIARY": filepath.Join(d.home, "private/diary.txt"), "OWN": d.database, "OWNCONFIG": d.config,
		"AGENT": strconv.Itoa(os.Getpid()), "SURVIVE": strconv.Itoa(int(time.Now().UnixNano()%1e9) + 1e9),
		"PATH": "/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8",
	}
	d.neighbour()
	d.listeners()
	d.sharedThings()
	d.before, d.limits = d.state(), d.standing()
	return d
}

func (d *decoy) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *decoy) file(name, text string, mode fs.FileMode) {
	d.t.Helper()
	path := filepath.Join(d.home, name)
	d.must(os.MkdirAll(filepath.Dir(path), 0o755))
	d.must(os.WriteFile(path, []byte(text), mode))
}

// repository is one of the user's that is not granted, with a secret in its store.
func (d *decoy) repository() {
	d.file("other/secret.txt", d.token+" in a repository\n", 0o644)
	script := `git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm first && git hash-object secret.txt`
	cmd := exec.CommandContext(d.t.Context(), "sh", "-c", script)
	cmd.Dir, cmd.Env = filepath.Join(d.home, "other"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.base}
	out, err := cmd.Output()
	d.must(err)
	d.blob = strings.TrimSpace(string(out))
}

// neighbour is a process of the same user.
func (d *decoy) neighbour() {
	d.process = exec.CommandContext(d.t.Context(), "/bin/sleep", "600")
	d.process.Args[0] = "decoy-" + d.env["TOKEN"] + "-" + d.token
	d.process.Dir, d.process.Env = d.home, []string{"KEY=" + d.token}
	d.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	d.must(d.process.Start())
	d.t.Cleanup(func() {
		_ = d.process.Process.Kill()
		_ = d.process.Wait()
	})
	d.env["DECOY"], d.env["BLOB"] = strconv.Itoa(d.process.Process.Pid), d.blob
}

// came notes that a listener was reached.
func (d *decoy) came(what string) {
	d.reached.Add(1)
	d.reachedWhat.Store(what)
}

func (d *decoy) listeners() {
	for name, addr := range map[string]string{"PORT": "0.0.0.0:0", "PORT6": "[::1]:0"} {
		if l, err := net.Listen("tcp", addr); err == nil { //nolint:gosec,noctx // it must be reachable in every way
			d.env[name] = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
			d.accept(name, l)
		}
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0") //nolint:noctx // as above
	d.must(err)
	d.env["PORTU"] = strconv.Itoa(u.LocalAddr().(*net.UDPAddr).Port)
	d.receive("udp", u)
	d.must(os.MkdirAll(filepath.Join(d.home, ".run/hobkin"), 0o700))
	for name, path := range map[string]string{"CONTROL": "hobkin/control.sock", "AGENTSOCK": "agent.sock", "BUS": "bus", "DOCKER": "docker.sock", "XSOCK": "X77"} {
		path = filepath.Join(d.home, ".run", path)
		l, err := net.Listen("unix", path) //nolint:noctx // as above
		d.must(err)
		d.env[name] = path
		d.accept(name, l)
	}
	d.env["ABSTRACT"], d.env["ABSTRACTU"] = "/tmp/.X11-unix/"+d.env["TOKEN"], "dgram-"+d.env["TOKEN"]
	l, err := net.Listen("unix", "@"+d.env["ABSTRACT"]) //nolint:noctx // as above
	d.must(err)
	d.accept("abstract", l)
	for name, addr := range map[string]string{"abstract datagram": "@" + d.env["ABSTRACTU"], "datagram": filepath.Join(d.home, ".run/log")} {
		p, err := net.ListenPacket("unixgram", addr) //nolint:noctx // as above
		d.must(err)
		d.receive(name, p)
	}
	d.env["DGRAM"] = filepath.Join(d.home, ".run/log")
	if addrs, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addrs {
			if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil {
				d.env["ADDRESSES"] += ip.IP.String() + " "
			}
		}
	}
}

func (d *decoy) accept(name string, l net.Listener) {
	d.t.Cleanup(func() { _ = l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d.came(name)
			_ = c.Close()
		}
	}()
}

func (d *decoy) receive(name string, p net.PacketConn) {
	d.t.Cleanup(func() { _ = p.Close() })
	go func() { // ends with the socket
		buf := make([]byte, 16)
		for {
			if _, _, err := p.ReadFrom(buf); err != nil {
				return
			}
			d.came(name)
		}
	}()
}

// sharedThings are what has no file: shared memory, a key of the kernel, a
// terminal, a file left open.
func (d *decoy) sharedThings() {
	const key = 0x0dec0000
	d.env["SHMKEY"] = fmt.Sprintf("0x%08x", key+os.Getpid()%0xffff)
	n, err := strconv.ParseInt(d.env["SHMKEY"], 0, 64)
	d.must(err)
	if id, err := unix.SysvShmGet(int(n), 4096, unix.IPC_CREAT|0o600); err == nil {
		if mem, err := unix.SysvShmAttach(id, 0, 0); err == nil {
			copy(mem, d.token)
			_ = unix.SysvShmDetach(mem)
		}
		d.t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	}
	shm := "/dev/shm/decoy-" + d.token
	if os.WriteFile(shm, []byte(d.token), 0o600) == nil {
		d.t.Cleanup(func() { _ = os.Remove(shm) })
	}
	if serial, err := unix.AddKey("user", "decoy", []byte(d.token), unix.KEY_SPEC_USER_KEYRING); err == nil {
		d.env["KEYSERIAL"] = strconv.Itoa(serial)
		d.t.Cleanup(func() { _, _ = unix.KeyctlInt(unix.KEYCTL_INVALIDATE, serial, 0, 0, 0) })
	}
	d.env["PTS"] = "/dev/null/none"
	if fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0); err == nil {
		d.terminal = os.NewFile(uintptr(fd), "ptmx")
		d.t.Cleanup(func() { _ = d.terminal.Close() })
		_ = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
		if n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN); err == nil {
			d.env["PTS"] = "/dev/pts/" + strconv.Itoa(n)
		}
	}
	fd, err := unix.Open(d.env["SECRET"], unix.O_RDONLY, 0) // not closed on exec, as careless programs leave them
	d.must(err)
	d.t.Cleanup(func() { _ = unix.Close(fd) })
}

// spec is what the path policy gives the commands of an owner's turn.
func (d *decoy) spec(mode sandbox.Mode) confine.Spec {
	d.t.Helper()
	policy, err := sandbox.New(sandbox.Config{
		Mode: mode, Home: d.home, Workspace: d.project,
		Own: []string{filepath.Dir(d.config), filepath.Dir(d.database), filepath.Join(d.home, ".local/state/hobkin"), filepath.Join(d.home, ".run/hobkin"), filepath.Join(d.home, ".cache/hobkin")},
	})
	d.must(err)
	spec := confine.ForTurn(policy, capability.Turn{Trust: capability.Operator, Attended: true}, d.env["PATH"])
	spec.Read = append(spec.Read, d.readonly)
	spec.Cache = filepath.Join(d.home, ".cache/hobkin/commands/cache")
	spec.Network = confine.NetworkOff
	return spec
}

// state tells of every file of the home but those of the project: what it is,
// whose, when it was changed and what is in it.
func (d *decoy) state() map[string]string {
	out := map[string]string{}
	d.must(filepath.WalkDir(d.base, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == d.project || path == filepath.Join(d.home, ".cache") {
			return filepath.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		about := fmt.Sprint(info.Mode(), st.Uid, st.Gid, st.Nlink)
		if path != d.home { // the cache is made in there
			about += fmt.Sprint(info.ModTime(), st.Size)
		}
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			about += fmt.Sprintf("%x", sha256.Sum256(data))
		}
		out[path] = about
		return nil
	}))
	return out
}

// standing is how the system treats the neighbour and this process.
func (d *decoy) standing() string {
	var out strings.Builder
	for _, pid := range []int{d.process.Process.Pid, os.Getpid()} {
		nice, _ := unix.Getpriority(unix.PRIO_PROCESS, pid)
		var files unix.Rlimit
		_ = unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &files)
		var cpus unix.CPUSet
		_ = unix.SchedGetaffinity(pid, &cpus)
		score, _ := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
		policy, _, _ := unix.Syscall(unix.SYS_SCHED_GETSCHEDULER, uintptr(pid), 0, 0)
		io, _, _ := unix.Syscall(unix.SYS_IOPRIO_GET, 1, uintptr(pid), 0)
		fmt.Fprintln(&out, nice, files, cpus.Count(), string(score), policy, io)
	}
	return out.String()
}
