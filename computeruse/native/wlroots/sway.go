//go:build linux

package wlroots

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Sway tells of windows by a socket of its own, in the words of i3: Wayland has
// no protocol that says where windows are.
type Sway struct {
	socket string
	desk   *Desk
}

// NewSway returns the windows of sway, whose socket the variable SWAYSOCK names.
func NewSway(socket string, d *Desk) *Sway { return &Sway{socket, d} }

// The messages of i3's protocol.
const (
	magic      = "i3-ipc"
	runCommand = 0
	getTree    = 4
	maxReply   = 16 << 20 // bytes
)

// ask sends one message and reads the answer into result.
func (s *Sway) ask(ctx context.Context, kind uint32, text string, result any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", s.socket)
	if err != nil {
		return &wire.Error{Code: wire.Failed, Message: "sway does not tell of its windows: " + err.Error()}
	}
	defer func() { _ = c.Close() }()
	limit, _ := ctx.Deadline()
	_ = c.SetDeadline(limit)
	raw := binary.NativeEndian.AppendUint32([]byte(magic), uint32(len(text))) //nolint:gosec // a short one
	raw = append(binary.NativeEndian.AppendUint32(raw, kind), text...)
	if _, err := c.Write(raw); err != nil {
		return err
	}
	head := make([]byte, len(magic)+8)
	if _, err := io.ReadFull(c, head); err != nil {
		return err
	}
	size := binary.NativeEndian.Uint32(head[len(magic):])
	if string(head[:len(magic)]) != magic || size > maxReply {
		return &wire.Error{Code: wire.Failed, Message: "sway answered in words that are not known here"}
	}
	return json.NewDecoder(io.LimitReader(c, int64(size))).Decode(result)
}

// A container is a node of sway's tree; one with a process is a window.
type container struct {
	ID      int64   `json:"id"`
	Name    string  `json:"name"`
	AppID   string  `json:"app_id"`
	PID     int     `json:"pid"`
	Focused bool    `json:"focused"`
	Visible bool    `json:"visible"`
	Focus   []int64 `json:"focus"` // the children, the one used last first
	Rect    struct {
		X      int `json:"x"`
		Y      int `json:"y"`
		Width  int `json:"width"`
		Height int `json:"height"`
	} `json:"rect"`
	X11 struct {
		Class string `json:"class"`
	} `json:"window_properties"`
	Nodes    []*container `json:"nodes"`
	Floating []*container `json:"floating_nodes"`
}

// windows lists what is beneath c: what floats is above, and of the others the
// one used last.
func (c *container) windows() (out []*container) {
	if c == nil {
		return nil
	}
	if c.PID > 0 && len(c.Nodes) == 0 {
		return []*container{c}
	}
	for _, list := range [][]*container{c.Floating, c.Nodes} {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b *container) int { return c.rank(a) - c.rank(b) })
		for _, child := range list {
			out = append(out, child.windows()...)
		}
	}
	return out
}

func (c *container) rank(child *container) int {
	if child == nil {
		return len(c.Focus)
	}
	if i := slices.Index(c.Focus, child.ID); i >= 0 {
		return i
	}
	return len(c.Focus)
}

// List returns the windows, the topmost first. Those of other workspaces come
// last, and are told as minimized: they are not to be seen.
func (s *Sway) List(ctx context.Context) ([]wire.Window, error) {
	var root container
	if err := s.ask(ctx, getTree, "", &root); err != nil {
		return nil, err
	}
	outputs := s.desk.sorted()
	list := []wire.Window{}
	for _, c := range root.windows() {
		w := wire.Window{
			ID: strconv.FormatInt(c.ID, 10), Title: c.Name, App: c.AppID, PID: c.PID, Active: c.Focused, Minimized: !c.Visible,
		}
		if w.App == "" {
			w.App = c.X11.Class
		}
		w.Exe, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", c.PID))
		w.Box, w.Display = c.box(outputs)
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(a, b wire.Window) int {
		switch {
		case a.Minimized == b.Minimized:
			return 0
		case a.Minimized:
			return 1
		}
		return -1
	})
	return list, nil
}

// box is where a window is, in pixels of the output that its middle is on.
func (c *container) box(list []output) (wire.Box, string) {
	mx, my := c.Rect.X+c.Rect.Width/2, c.Rect.Y+c.Rect.Height/2
	for i, b := range boxes(list) {
		o := list[i]
		if mx < int(o.x) || my < int(o.y) || mx >= int(o.x+o.lw) || my >= int(o.y+o.lh) {
			continue
		}
		at := func(v, from int32, add int) int { return add + int(math.Round(float64(v-from)*o.scale())) }
		x, y := at(int32(c.Rect.X), o.x, b.X), at(int32(c.Rect.Y), o.y, b.Y)                                  //nolint:gosec // on the output
		right, low := at(int32(c.Rect.X+c.Rect.Width), o.x, b.X), at(int32(c.Rect.Y+c.Rect.Height), o.y, b.Y) //nolint:gosec // on the output
		return wire.Box{X: x, Y: y, W: right - x, H: low - y}, strconv.Itoa(i + 1)
	}
	return wire.Box{}, ""
}

// At returns the window under a pixel, nil where none is.
func (s *Sway) At(ctx context.Context, p wire.Point) (*wire.Window, error) {
	list, err := s.List(ctx)
	for _, w := range list {
		if !w.Minimized && p.X >= w.Box.X && p.Y >= w.Box.Y && p.X < w.Box.X+w.Box.W && p.Y < w.Box.Y+w.Box.H {
			return &w, err
		}
	}
	return nil, err
}

// Active returns the window with the focus; empty if none has it.
func (s *Sway) Active(ctx context.Context) (id string, err error) {
	list, err := s.List(ctx)
	for _, w := range list {
		if w.Active {
			return w.ID, err
		}
	}
	return "", err
}

// Focus brings a window to the front, with its workspace.
func (s *Sway) Focus(ctx context.Context, id string) error {
	if _, err := strconv.ParseInt(id, 10, 64); err != nil { // it becomes part of a command
		return unknown(id)
	}
	var results []struct {
		Success bool `json:"success"`
	}
	if err := s.ask(ctx, runCommand, "[con_id="+id+"] focus", &results); err != nil {
		return err
	}
	if len(results) == 0 || !results[0].Success {
		return unknown(id)
	}
	for range 50 {
		if now, err := s.Active(ctx); err != nil || now == id {
			return err
		}
		select {
		case <-time.After(focusPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return &wire.Error{Code: wire.Failed, Message: "The window did not get the focus.", Fix: "Look at a screenshot."}
}

const focusPause = 20 * time.Millisecond

func unknown(id string) error {
	return &wire.Error{Code: wire.UnknownWindow, Message: fmt.Sprintf("There is no window %q any more.", id), Fix: "List the windows again."}
}
