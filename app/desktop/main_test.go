package desktop

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// The roles this test program plays when the tests start it again.
const (
	roleVar    = "HOBKIN_TEST_ROLE"
	roleWindow = "window" // does as it is told
	roleCrash  = "crash"  // ends with an error at the first order
	roleHang   = "hang"   // reads nothing and stays
	roleHold   = "hold"   // as window, and leaves its output open in another process
	roleParent = "parent" // a background process with a window
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVar); role {
	case "":
		goleak.VerifyTestMain(m)
	case roleCrash:
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		panic("a crash, as the test wants it")
	case roleHang:
		block()
	case roleParent:
		playParent()
	default:
		playWindow(role)
	}
}

// block waits for ever; whoever plays this is killed.
func block() {
	r, _, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	_, _ = r.Read(make([]byte, 1))
}

// say writes one notice.
func say(n Notice) {
	if err := json.NewEncoder(os.Stdout).Encode(n); err != nil {
		panic(err)
	}
}

// playWindow is a window without a screen: it tells what it is told. Two
// sessions are played for the tests: at "closed" a person closes it, at
// "noise" it says things that are no notices.
func playWindow(role string) {
	if role == roleHold {
		hold := play(roleHang)
		hold.Stdout = os.Stdout
		if err := hold.Start(); err != nil {
			panic(err)
		}
		_, _ = fmt.Fprintf(os.Stderr, "%d\n", hold.Process.Pid)
	}
	for dec := json.NewDecoder(os.Stdin); ; {
		var o Order
		if err := dec.Decode(&o); err != nil || o.Quit {
			return // the parent is gone, or wants it to end
		}
		is := true
		switch o.Session {
		case "closed":
			say(Notice{Ready: true, Focused: &is, Session: o.Session})
			say(Notice{Hidden: true})
			continue
		case "noise":
			_, _ = os.Stdout.WriteString("libGL: no driver\n{\"focused\": 3}\n\n")
			_, _ = os.Stdout.Write(append(make([]byte, 3*maxLine), '\n'))
		}
		say(Notice{Ready: true, Focused: &is, Session: o.Session})
	}
}

// playParent shows a window, says its process id, and stays.
func playParent() {
	w := newWindow(func() *exec.Cmd { return play(roleWindow) },
		func(pid int, _ bool) { _, _ = fmt.Fprintln(os.Stdout, pid) }, func(err error) { panic(err) })
	if err := w.show(""); err != nil {
		panic(errors.Join(errors.New("the parent's window"), err))
	}
	block()
}

// play makes the command that starts this program in a role.
func play(role string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self) //nolint:noctx // the window's process is ended by whoever tests it
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	return cmd
}
