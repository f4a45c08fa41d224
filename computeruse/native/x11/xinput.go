package x11

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
)

const extInput = "XInputExtension"

// The requests and events of XInput 2 that are used; xgb has none of it.
const (
	xiSelectEvents = 46
	xiQueryVersion = 47
	xiQueryDevice  = 48

	xiAllDevices       = 0
	xiHierarchyChanged = 11
	xiRawKeyPress      = 13
	xiRawKeyRelease    = 14
	xiRawButtonPress   = 15
	xiRawMotion        = 17
)

// useXI2 asks for the raw events of all devices, and for changes of them.
func (c *conn) useXI2() error {
	if err := c.extension(extInput); err != nil {
		return err
	}
	if _, err := c.ask(extInput, xiQueryVersion, []byte{2, 0, 2, 0}); err != nil {
		return fmt.Errorf("XInput 2: %w", err)
	}
	const words = 1
	mask := uint32(1<<xiHierarchyChanged | 1<<xiRawKeyPress | 1<<xiRawKeyRelease | 1<<xiRawButtonPress | 1<<xiRawMotion)
	body := binary.LittleEndian.AppendUint32(nil, uint32(c.root))
	body = append(body, 1, 0, 0, 0) // one mask
	body = append(body, xiAllDevices, 0, words, 0)
	body = binary.LittleEndian.AppendUint32(body, mask)
	cookie := c.NewCookie(true, false)
	c.NewRequest(c.request(extInput, xiSelectEvents, body), cookie)
	return cookie.Check()
}

// A device is one that input comes from.
type device struct {
	fake bool    // what programs put in comes through it
	axes [2]axis // across and down
}

// An axis is how a device tells a place.
type axis struct {
	absolute bool
	min, max float64 // of an absolute one; equal: it tells pixels of the desktop
}

func (c *conn) devices() (map[uint16]device, error) {
	r, err := c.ask(extInput, xiQueryDevice, []byte{xiAllDevices, 0, 0, 0})
	if err != nil {
		return nil, err
	}
	return parseDevices(r)
}

var errCutOff = errors.New("the list of devices is cut off")

// parseDevices reads the answer: each device has a head of 12 bytes, its name,
// and classes that tell their length in units of four bytes.
func parseDevices(r []byte) (map[uint16]device, error) {
	if len(r) < messageSize {
		return nil, errCutOff
	}
	n, rest := int(binary.LittleEndian.Uint16(r[8:])), r[messageSize:]
	all := map[uint16]device{}
	for range n {
		if len(rest) < 12 {
			return nil, errCutOff
		}
		id, classes, size := binary.LittleEndian.Uint16(rest), int(binary.LittleEndian.Uint16(rest[6:])), int(binary.LittleEndian.Uint16(rest[8:]))
		rest = rest[12:]
		padded := (size + 3) &^ 3
		if len(rest) < padded {
			return nil, errCutOff
		}
		d := device{fake: strings.Contains(string(rest[:size]), "XTEST")}
		rest = rest[padded:]
		for range classes {
			if len(rest) < 4 {
				return nil, errCutOff
			}
			length := 4 * int(binary.LittleEndian.Uint16(rest[2:]))
			if length == 0 || len(rest) < length {
				return nil, errCutOff
			}
			d.learn(rest[:length])
			rest = rest[length:]
		}
		all[id] = d
	}
	return all, nil
}

// learn takes what a class says of an axis.
func (d *device) learn(class []byte) {
	const valuator, size, absolute = 2, 44, 1
	if binary.LittleEndian.Uint16(class) != valuator || len(class) < size {
		return
	}
	if n := binary.LittleEndian.Uint16(class[6:]); int(n) < len(d.axes) {
		d.axes[n] = axis{class[40] == absolute, fixed(class[12:]), fixed(class[20:])}
	}
}

// fixed reads a number with 32 bits on each side of the point.
func fixed(raw []byte) float64 {
	whole, part := int32(binary.LittleEndian.Uint32(raw)), binary.LittleEndian.Uint32(raw[4:])
	return float64(whole) + float64(part)/(1<<32)
}

// A rawEvent is what a device did.
type rawEvent struct {
	kind   uint16
	device uint16 // one event comes for the device and one for the pointer that it moves
	source uint16
	when   time.Time  // by the clock of the server: how late we read it does not matter
	values [2]float64 // of a motion, by axis
	has    [2]bool
}

func parseRaw(m []byte) (e rawEvent, ok bool) {
	if len(m) < messageSize {
		return e, false
	}
	e.kind, e.device, e.source = binary.LittleEndian.Uint16(m[8:]), binary.LittleEndian.Uint16(m[10:]), binary.LittleEndian.Uint16(m[20:])
	e.when = time.UnixMilli(int64(binary.LittleEndian.Uint32(m[12:])))
	n := 4 * int(binary.LittleEndian.Uint16(m[22:]))
	if e.kind != xiRawMotion || n == 0 || len(m) < messageSize+n {
		return e, true
	}
	mask, values := m[messageSize], m[messageSize+n:] // the first two axes are in its first byte
	for i := range e.values {
		if mask&(1<<i) != 0 && len(values) >= 8 {
			e.values[i], e.has[i], values = fixed(values), true, values[8:]
		}
	}
	return e, true
}
