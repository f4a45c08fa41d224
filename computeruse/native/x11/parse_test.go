//go:build unix

package x11

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

func entry(family uint16, host, number, scheme string, key []byte) []byte {
	raw := binary.BigEndian.AppendUint16(nil, family)
	for _, f := range [][]byte{[]byte(host), []byte(number), []byte(scheme), key} {
		raw = append(binary.BigEndian.AppendUint16(raw, uint16(len(f))), f...)
	}
	return raw
}

func TestFindCookie(t *testing.T) {
	one, two := bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{2}, 16)
	file := append(entry(256, "other", "0", cookieName, two), entry(256, "here", "1", cookieName, two)...)
	file = append(file, entry(256, "here", "0", "XDM-AUTHORIZATION-1", two)...)
	file = append(file, entry(familyWild, "", "0", cookieName, two)...)
	file = append(file, entry(256, "here", "0", cookieName, one)...)
	if got := findCookie(file, "here", "0"); !bytes.Equal(got, one) {
		t.Errorf("the key of this host is %v, want %v", got, one)
	}
	if got := findCookie(file, "elsewhere", "0"); !bytes.Equal(got, two) {
		t.Errorf("the key of any host is %v, want %v", got, two)
	}
	if got := findCookie(file, "here", "7"); got != nil {
		t.Errorf("a display without a key has %v", got)
	}
}

func FuzzFindCookie(f *testing.F) {
	f.Add(entry(256, "here", "0", cookieName, make([]byte, 16)))
	f.Add([]byte{1, 0, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got := findCookie(raw, "here", "0"); got != nil && len(got) != 16 {
			t.Errorf("a key of %d bytes", len(got))
		}
	})
}

func TestParseDisplay(t *testing.T) {
	for in, want := range map[string]address{
		":0":              {"unix", "/tmp/.X11-unix/X0", "", "0"},
		"unix:3.0":        {"unix", "/tmp/.X11-unix/X3", "", "3"},
		"host:10.0":       {"tcp", "host:6010", "host", "10"},
		"/tmp/launch/x:0": {"unix", "/tmp/launch/x:0", "", "0"},
		"tcp/h:1":         {"tcp", "h:6001", "h", "1"},
	} {
		if got, err := parseDisplay(in); err != nil || got != want {
			t.Errorf("parseDisplay(%q) = %+v, %v, want %+v", in, got, err, want)
		}
	}
	for _, bad := range []string{"", "0", ":", ":x", ":-1", ":999999", ":1x"} {
		if got, err := parseDisplay(bad); err == nil {
			t.Errorf("parseDisplay(%q) = %+v", bad, got)
		}
	}
}

func FuzzParseChord(f *testing.F) {
	for _, s := range []string{"ctrl+shift+t", "+", "ctrl++", "F35", "KP_5", "\xff+a", "Control_R+ß", " a + b "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := parseChord(s)
		if err == nil && c.key == 0 && len(c.modifiers) == 0 {
			t.Errorf("parseChord(%q) is nothing, and no error", s)
		}
	})
}

// FuzzDevices reads what an X server says of devices and of what they do.
func FuzzDevices(f *testing.F) {
	list := make([]byte, messageSize+12+24+4)
	list[8] = 1
	binary.LittleEndian.PutUint16(list[messageSize:], 4)
	binary.LittleEndian.PutUint16(list[messageSize+6:], 1)
	binary.LittleEndian.PutUint16(list[messageSize+8:], 21)
	copy(list[messageSize+12:], "Virtual core XTEST 12")
	binary.LittleEndian.PutUint16(list[messageSize+12+24+2:], 1)
	f.Add(list)
	motion := make([]byte, messageSize+4+32)
	motion[8], motion[22], motion[messageSize] = xiRawMotion, 1, 3
	f.Add(motion)
	f.Add(list[:40])
	all, err := parseDevices(list)
	if err != nil || !all[4].fake {
		f.Errorf("parseDevices = %+v, %v", all, err)
	}
	f.Fuzz(func(_ *testing.T, raw []byte) {
		_, _ = parseDevices(raw)
		_, _ = parseRaw(raw)
	})
}

// FuzzStream passes on what an X server sends, whatever that is: never a
// message that xgb would take for another one, and never for ever.
func FuzzStream(f *testing.F) {
	setup := append([]byte{1, 0, 11, 0, 0, 0, 1, 0}, 1, 2, 3, 4)
	long := make([]byte, 40)
	long[0], long[4] = genericEvent, 2
	failed := make([]byte, 32)
	failed[1] = 200
	event := make([]byte, 32)
	event[0] = 90
	f.Add(append(append(append(bytes.Clone(setup), long...), failed...), event...))
	f.Add(setup)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 1<<16 {
			return
		}
		s := newStream(&canned{r: bytes.NewReader(raw)})
		s.learn("X", 80, 130)
		s.on("X", func(byte, []byte) {})
		s.on(generic, func(_ byte, m []byte) { parseRaw(m) })
		out, _ := io.ReadAll(io.LimitReader(s, 1<<20))
		if len(out) > len(raw)+messageSize {
			t.Errorf("of %d bytes %d came out", len(raw), len(out))
		}
	})
}

// A canned connection has what it was given.
type canned struct {
	net.Conn

	r *bytes.Reader
}

func (c *canned) Read(p []byte) (int, error) { return c.r.Read(p) }

// TestCorner: thrown into a corner of the desktop, from afar and fast; a
// corner where two displays meet is none, and slow hands may rest in one.
func TestCorner(t *testing.T) {
	displays := []wire.Display{{Box: wire.Box{X: -800, Y: 0, W: 800, H: 600}}, {Box: wire.Box{W: 1000, H: 700}}}
	type step struct {
		x, y, after int // ms
	}
	for name, tt := range map[string]struct {
		way  []step
		want bool
	}{
		"thrown":               {[]step{{0, 300, 0}, {-400, 100, 100}, {-800, 0, 100}}, true},
		"lower right":          {[]step{{500, 300, 0}, {999, 699, 200}}, true},
		"slowly":               {[]step{{-600, 200, 0}, {-700, 100, 700}, {-790, 10, 700}, {-800, 0, 700}}, false},
		"where displays meet":  {[]step{{-400, 300, 0}, {-1, 0, 100}}, false},
		"the gap below":        {[]step{{-400, 300, 0}, {-1, 599, 100}}, false},
		"the edge":             {[]step{{-400, 300, 0}, {-800, 300, 100}}, false},
		"lower left":           {[]step{{-400, 300, 0}, {-799, 598, 100}}, true},
		"not far":              {[]step{{-700, 60, 0}, {-800, 0, 100}}, false},
		"the right one's left": {[]step{{300, 300, 0}, {0, 699, 100}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var c corner
			now, got := time.Now(), false
			for _, s := range tt.way {
				now = now.Add(time.Duration(s.after) * time.Millisecond)
				got = c.at(now, wire.Point{X: s.x, Y: s.y}, displays)
			}
			if got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if tt.want && c.at(now, wire.Point{X: tt.way[len(tt.way)-1].x, Y: tt.way[len(tt.way)-1].y}, displays) {
				t.Error("it was told twice")
			}
		})
	}
}

// TestHand: where a person's motions alone lead, for mice, which tell how far,
// and for tablets, which tell where.
func TestHand(t *testing.T) {
	displays := []wire.Display{{Box: wire.Box{W: 1000, H: 800}}}
	here := spot{wire.Point{X: 500, Y: 400}, displays}
	now := time.Now()
	var mouse hand
	told := false
	for range 10 { // the agent keeps the pointer in the middle
		now = now.Add(10 * time.Millisecond)
		told = told || mouse.moves(rawEvent{when: now, values: [2]float64{-60.5, -50}, has: [2]bool{true, true}}, device{}, here)
	}
	if !told {
		t.Errorf("a mouse thrown to the left and up led to %v,%v and was not told", mouse.x, mouse.y)
	}
	tablet := device{axes: [2]axis{{true, 0, 0xffff}, {true, 0, 0xffff}}}
	var pen hand
	pen.moves(rawEvent{when: now, values: [2]float64{0x8000, 0x8000}, has: [2]bool{true, true}}, tablet, here)
	if !pen.moves(rawEvent{when: now.Add(50 * time.Millisecond), values: [2]float64{0xffff, 0}, has: [2]bool{true, true}}, tablet, here) {
		t.Errorf("a pen put into the corner led to %v,%v and was not told", pen.x, pen.y)
	}
}
