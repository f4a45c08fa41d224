//go:build unix

package helper

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// faultVar makes the test binary a helper with a fault of its own; the value is
// its name, and what a test may look at lies in faultDir.
const (
	faultVar = "HOBKIN_TEST_FAULT"
	faultDir = "HOBKIN_TEST_FAULT_DIR"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(faultVar); name != "" {
		faulty(name)
		return
	}
	goleak.VerifyTestMain(m)
}

// faulty is a helper that greets as a good one, unless its fault is there, and
// then does wrong what its name says at a capture.
func faulty(name string) {
	note("start " + strings.Join(os.Args[1:], " "))
	if name == "deaf" { // it neither reads nor ends
		signal.Ignore(syscall.SIGTERM)
		hang()
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	held := map[int64]wire.Request{}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			note("end of input")
			return
		}
		var req wire.Request
		if json.Unmarshal(line, &req) != nil {
			note("not understood")
			continue
		}
		note(req.Method)
		switch {
		case req.Method == wire.Hello:
			greet(name, req)
		case req.Method == wire.Capture:
			atCapture(name, req, held)
		case req.Method == wire.Click && name == "dies in an act":
			end(3)
		case req.Method == wire.Click && name == "hangs in an act":
			hang()
		default:
			reply(req.ID, struct{}{})
		}
	}
}

func greet(name string, req wire.Request) {
	hello := wire.HelloResult{Protocol: wire.Protocol, Version: wire.Version, Platform: "test"}
	var p wire.HelloParams
	_ = json.Unmarshal(req.Params, &p)
	hello.LookOnly = p.LookOnly
	switch name {
	case "silent":
		signal.Ignore(syscall.SIGTERM)
		hang()
	case "other version":
		hello.Protocol = wire.Protocol + 1
	case "looks and acts":
		hello.LookOnly = false
	case "dies at once":
		fmt.Fprintln(os.Stderr, "no screen, said the system")
		end(7)
	case "killed at once":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		hang()
	}
	reply(req.ID, hello)
}

func atCapture(name string, req wire.Request, held map[int64]wire.Request) {
	switch name {
	case "garbage":
		_, _ = os.Stdout.WriteString("XkbGetKeyboard failed to locate a valid keyboard\n")
	case "half a line":
		_, _ = os.Stdout.WriteString(`{"id":`)
		end(0)
	case "another type":
		reply(req.ID, []int{1})
	case "huge line":
		_, _ = os.Stdout.Write(bytes.Repeat([]byte("x"), wire.MaxLine+10))
	case "hangs":
		signal.Ignore(syscall.SIGTERM)
		hang()
	case "slow":
		dawdle(300 * time.Millisecond)
		reply(req.ID, wire.CaptureResult{Display: "1"})
	case "turned around": // two answers, the later request's first
		if held[1] = req; len(held) == 0 {
			return
		}
		if _, first := held[0]; !first {
			held[0] = req
			return
		}
		reply(req.ID, wire.CaptureResult{Display: "second"})
		reply(held[0].ID, wire.CaptureResult{Display: "first"})
	case "events":
		event(wire.Paused, wire.PausedData{By: wire.ByCorner})
		reply(req.ID, wire.CaptureResult{Display: "1"})
	case "late":
		id := req.ID
		go func() {
			dawdle(200 * time.Millisecond)
			reply(id, wire.CaptureResult{Display: "late"})
		}()
	case "refuses":
		write(wire.Message{ID: req.ID, Error: &wire.Error{Code: wire.NoDisplay, Message: "there is no screen"}})
	case "chatty":
		fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 20_000))
		reply(req.ID, wire.CaptureResult{Display: "1"})
	default:
		reply(req.ID, wire.CaptureResult{Display: "1", Image: []byte("picture")})
	}
}

func reply(id int64, result any) {
	raw, _ := json.Marshal(result)
	write(wire.Message{ID: id, Result: raw})
}

func event(name string, data any) {
	raw, _ := json.Marshal(data)
	write(wire.Message{Event: name, Data: raw})
}

func write(m wire.Message) {
	raw, _ := json.Marshal(m)
	_, _ = os.Stdout.Write(append(raw, '\n'))
}

// note writes a line for the test to read.
func note(text string) {
	f, err := os.OpenFile(filepath.Join(os.Getenv(faultDir), "notes"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintln(f, text)
	_ = f.Close()
}

// The ways of a faulty program.

func hang()                  { dawdle(time.Hour) }
func dawdle(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // it is slow on purpose
func end(code int)           { os.Exit(code) } //nolint:forbidigo // it crashes on purpose
