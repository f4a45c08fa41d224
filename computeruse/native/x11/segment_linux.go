package x11

import (
	"cmp"

	"github.com/jezek/xgb/shm"
	"golang.org/x/sys/unix"
)

// A segment is memory that we share with the server. It is kept from one
// picture to the next, and goes with the process, however that ends.
type segment struct {
	usable bool // false: the server is elsewhere, or lacks the extension
	id     shm.Seg
	data   []byte
}

// ready makes the segment large enough, and reports whether it can be used.
func (g *segment) ready(c *conn, size int) bool {
	if !g.usable || len(g.data) >= size {
		return g.usable
	}
	g.free(c)
	if err := g.make(c, max(size, 4*int(c.screen.WidthInPixels)*int(c.screen.HeightInPixels))); err != nil {
		g.usable = false
	}
	return g.usable
}

func (g *segment) make(c *conn, size int) error {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, size, unix.IPC_CREAT|0o600)
	if err != nil {
		return err
	}
	// Marked for removal while attached, it goes with the last who is.
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }()
	data, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		return err
	}
	seg, err := shm.NewSegId(c.Conn)
	if err == nil {
		err = shm.AttachChecked(c.Conn, seg, uint32(id), false).Check()
	}
	if err != nil {
		return cmp.Or(unix.SysvShmDetach(data), err)
	}
	g.id, g.data = seg, data
	return nil
}

func (g *segment) free(c *conn) {
	if g.data == nil {
		return
	}
	shm.Detach(c.Conn, g.id)
	_ = unix.SysvShmDetach(g.data)
	g.data = nil
}
