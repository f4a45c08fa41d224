package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// deskVariable makes the test program a native helper on a desk that is only
// told: one display of 1,920×1,080 with a window of gedit. It writes what it was
// asked into the file of that name.
const deskVariable = "HOBKIN_TEST_DESK"

var editor = wire.Window{ID: "7", Title: "notes.txt", App: "gedit", Box: wire.Box{X: 100, Y: 100, W: 800, H: 600}, Display: "1", Active: true}

// A toldDesk keeps what has happened on it.
type toldDesk struct {
	acts     int // the picture differs after each
	lookOnly bool
	paused   bool
}

func playDesk(log string) {
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer func() { _ = f.Close() }()
	d := &toldDesk{}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var req wire.Request
		if json.Unmarshal(line, &req) != nil {
			return
		}
		_, _ = fmt.Fprintf(f, "%s %s\n", req.Method, req.Params)
		m := wire.Message{ID: req.ID}
		result, fault := d.answer(req)
		if m.Error = fault; fault == nil {
			m.Result, _ = json.Marshal(result)
		}
		out, _ := json.Marshal(m)
		_, _ = os.Stdout.Write(append(out, '\n'))
	}
}

func (d *toldDesk) answer(req wire.Request) (any, *wire.Error) {
	switch req.Method {
	case wire.Hello:
		var p wire.HelloParams
		_ = json.Unmarshal(req.Params, &p)
		d.lookOnly = p.LookOnly
		return wire.HelloResult{Protocol: wire.Protocol, Version: wire.Version, Platform: "linux", DisplayServer: "x11", Backend: "told", LookOnly: p.LookOnly}, nil
	case wire.Probe:
		return wire.ProbeResult{Capabilities: []wire.Capability{{Name: wire.CanCapture, Works: true}, {Name: wire.CanPointer, Works: true}, {Name: wire.CanPerson, Reason: "the system does not tell", Fix: "nothing is to be done"}}}, nil
	case wire.Displays:
		return wire.DisplaysResult{Layout: "one", Displays: []wire.Display{{ID: "1", Name: "told", Primary: true, Box: wire.Box{W: 1920, H: 1080}, Logical: wire.Size{W: 1920, H: 1080}, Scale: 1}}}, nil
	case wire.Windows:
		return wire.WindowsResult{Windows: []wire.Window{editor}}, nil
	case wire.WindowAt:
		return wire.WindowAtResult{Window: &editor}, nil
	case wire.Capture:
		return d.capture(req.Params), nil
	case wire.WaitChange:
		return wire.ChangeResult{Changed: d.acts > 0, Since: true}, nil
	case wire.Person:
		return wire.PersonResult{Known: true, IdleMS: 60_000, Exact: true}, nil
	case wire.Cursor:
		return wire.CursorResult{Point: wire.Point{X: 500, Y: 500}, Display: "1"}, nil
	case wire.Pause:
		d.paused = true
		return wire.PauseResult{Released: []string{"Shift"}}, nil
	case wire.Resume:
		d.paused = false
		return struct{}{}, nil
	case wire.Click, wire.Type, wire.Key:
		switch {
		case d.lookOnly:
			return nil, &wire.Error{Code: wire.LookOnly, Message: "started only to look"}
		case d.paused:
			return nil, &wire.Error{Code: wire.IsPaused, Message: "paused"}
		}
		d.acts++
	}
	return struct{}{}, nil
}

func (d *toldDesk) capture(params json.RawMessage) wire.CaptureResult {
	var p wire.CaptureParams
	_ = json.Unmarshal(params, &p)
	box := wire.Box{W: 1920, H: 1080}
	if p.Region != nil {
		box = *p.Region
	}
	size := wire.Size{W: box.W, H: box.H}
	if p.Size != nil {
		size = *p.Size
	}
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, size.W, size.H)))
	return wire.CaptureResult{
		Display: "1", Layout: "one", Box: box, Sent: size, Scale: 1, TakenAt: time.Now(), Format: "png", Image: b.Bytes(),
		Hash: fmt.Sprint("after ", d.acts, " acts"),
	}
}

// did lists the methods of a log that a desk wrote.
func did(log string) []string {
	raw, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(raw)) {
		method, _, _ := strings.Cut(line, " ")
		out = append(out, method)
	}
	return out
}
