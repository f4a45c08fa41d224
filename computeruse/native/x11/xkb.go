package x11

import (
	"encoding/binary"
	"errors"

	"github.com/jezek/xgb"
)

const extXKB = "XKEYBOARD"

// The requests of the X Keyboard Extension that are used; xgb has none of it.
const (
	xkbUseExtension   = 0
	xkbGetState       = 4
	xkbLatchLockState = 5
	xkbCore           = 0x100 // the keyboard that programs see
)

// Modifiers, as the core protocol numbers them.
const (
	maskShift   = 1 << 0
	maskLock    = 1 << 1
	maskControl = 1 << 2
	maskAlt     = 1 << 3
	maskSuper   = 1 << 6
)

// A keyState is what modifiers and which layout are in force.
type keyState struct {
	held   byte // modifiers that somebody holds down
	locked byte
	group  byte // the layout, from 0
}

func (c *conn) useXKB() error {
	if err := c.extension(extXKB); err != nil {
		return err
	}
	r, err := c.ask(extXKB, xkbUseExtension, []byte{1, 0, 0, 0})
	if err != nil {
		return err
	}
	if r[1] == 0 {
		return errors.New("the X server speaks another version of XKEYBOARD")
	}
	return nil
}

func (c *conn) keyState() (keyState, error) {
	r, err := c.ask(extXKB, xkbGetState, []byte{xkbCore & 0xff, xkbCore >> 8, 0, 0})
	if err != nil {
		return keyState{}, c.check(err)
	}
	return keyState{held: r[9], locked: r[11], group: r[12]}, nil
}

// lock sets which of the modifiers in mask are locked.
func (c *conn) lock(mask, to byte) {
	body := []byte{xkbCore & 0xff, xkbCore >> 8, mask, to, 0, 0, 0, 0, 0, 0, 0, 0}
	c.NewRequest(c.request(extXKB, xkbLatchLockState, body), c.NewCookie(false, false))
}

// ask sends a request of an extension and waits for the answer.
func (c *conn) ask(extension string, minor byte, body []byte) ([]byte, error) {
	cookie := c.NewCookie(true, true)
	c.NewRequest(c.request(extension, minor, body), cookie)
	r, err := cookie.Reply()
	if err != nil {
		return nil, err
	}
	if len(r) < messageSize {
		return nil, errors.New("the display has gone")
	}
	return r, nil
}

func (c *conn) request(extension string, minor byte, body []byte) []byte {
	buf := make([]byte, 4, 4+xgb.Pad(len(body)))
	buf[0], buf[1] = c.opcode(extension), minor
	buf = append(buf, body...)
	buf = append(buf, make([]byte, xgb.Pad(len(body))-len(body))...)
	binary.LittleEndian.PutUint16(buf[2:], uint16(len(buf)/4))
	return buf
}
