package x11

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
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

// fakeDevices are the devices that XTEST puts input in through.
func (c *conn) fakeDevices() (map[uint16]bool, error) {
	r, err := c.ask(extInput, xiQueryDevice, []byte{xiAllDevices, 0, 0, 0})
	if err != nil {
		return nil, err
	}
	return parseDevices(r)
}

// parseDevices reads the answer: each device has a head of 12 bytes, its name,
// and classes that tell their length in units of four bytes.
func parseDevices(r []byte) (map[uint16]bool, error) {
	short := errors.New("the list of devices is cut off")
	if len(r) < messageSize {
		return nil, short
	}
	n, rest := int(binary.LittleEndian.Uint16(r[8:])), r[messageSize:]
	fake := map[uint16]bool{}
	for range n {
		if len(rest) < 12 {
			return nil, short
		}
		id, classes, size := binary.LittleEndian.Uint16(rest), int(binary.LittleEndian.Uint16(rest[6:])), int(binary.LittleEndian.Uint16(rest[8:]))
		rest = rest[12:]
		padded := (size + 3) &^ 3
		if len(rest) < padded {
			return nil, short
		}
		if strings.Contains(string(rest[:size]), "XTEST") {
			fake[id] = true
		}
		rest = rest[padded:]
		for range classes {
			if len(rest) < 4 {
				return nil, short
			}
			length := 4 * int(binary.LittleEndian.Uint16(rest[2:]))
			if length == 0 || len(rest) < length {
				return nil, short
			}
			rest = rest[length:]
		}
	}
	return fake, nil
}

// A rawEvent is what a device did.
type rawEvent struct {
	kind   uint16
	device uint16 // one event comes for the device and one for the pointer that it moves
	source uint16
}

func parseRaw(m []byte) (rawEvent, bool) {
	if len(m) < messageSize {
		return rawEvent{}, false
	}
	return rawEvent{
		kind: binary.LittleEndian.Uint16(m[8:]), device: binary.LittleEndian.Uint16(m[10:]), source: binary.LittleEndian.Uint16(m[20:]),
	}, true
}
