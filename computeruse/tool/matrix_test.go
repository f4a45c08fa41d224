//go:build linux

package tool

import (
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/test/desk"
)

// matrixVar asks for all of the matrix: its value is the number of acts for each
// of its places, such as 100.
const matrixVar = "HOBKIN_MATRIX"

// A setting is one place of the matrix.
type setting struct {
	layout   string
	dpi      int // 96 is a scale of 1
	displays int
}

func (s setting) String() string {
	return fmt.Sprintf("%s, scale %g, %d displays", s.layout, float64(s.dpi)/96, s.displays)
}

// matrix lists its places: a few that hold each value once, or all.
func matrix() (list []setting, acts int) {
	if n, err := strconv.Atoi(os.Getenv(matrixVar)); err == nil && n > 0 {
		for _, layout := range []string{"us", "de", "ru", "jp"} {
			for _, dpi := range []int{96, 120, 144, 168, 192, 288} {
				for displays := 1; displays <= 2; displays++ {
					list = append(list, setting{layout, dpi, displays})
				}
			}
		}
		return list, n
	}
	return []setting{{"us", 192, 2}, {"ru", 120, 1}}, 10
}

// TestMatrix does acts at random, with layouts of the keyboard, scales and
// displays: each is delivered as it says, which the program judges, or refused
// with the right code and nothing sent.
func TestMatrix(t *testing.T) {
	list, acts := matrix()
	slots := make(chan struct{}, 4)
	for _, set := range list {
		t.Run(set.String(), func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			m := newMatrix(t, set)
			for i := range acts {
				m.act(i)
			}
			t.Logf("%d acts: %v", acts, m.count)
		})
	}
}

// matrixRun is one place of the matrix on its own desk.
type matrixRun struct {
	t     *testing.T
	u     *user
	b     *program
	rnd   *rand.Rand
	count map[string]int
}

func newMatrix(t *testing.T, set setting) *matrixRun {
	t.Helper()
	d := desk.Bare(t)
	run := func(args ...string) {
		t.Helper()
		if out, err := d.Run(args[0], args[1:]...); err != nil {
			t.Fatalf("%v: %v %s", args, err, out)
		}
	}
	run("setxkbmap", set.layout)
	run("xprop", "-root", "-f", "RESOURCE_MANAGER", "8s", "-set", "RESOURCE_MANAGER", fmt.Sprintf("Xft.dpi:\t%d\n", set.dpi))
	if set.displays == 2 {
		run("xrandr", "--setmonitor", "LEFT", "440/120x860/230+0+0", "none")
		run("xrandr", "--setmonitor", "*RIGHT", "840/220x800/210+440+60", "screen")
	}
	m := &matrixRun{t: t, u: newUser(t, d), rnd: rand.New(rand.NewPCG(uint64(set.dpi), uint64(len(set.layout)))), count: map[string]int{}}
	m.u.cfg.MaxActs = 100_000
	m.u.rules = append(m.u.rules, permission.Rule{Tool: Name, Match: "app:bench", Action: permission.Allow})
	if set.displays == 1 { // pictures that are smaller than the screen
		m.u.limits = computeruse.Limits{Edge: 640}
	}
	m.b = startProgram(t, d, "bench", image.Rect(200, 90, 900, 690))
	return m
}

// act does one act at random and has it judged.
func (m *matrixRun) act(i int) {
	m.t.Helper()
	kinds := []func() string{m.click, m.click, m.move, m.drag, m.scroll, m.typed, m.typed, m.chord, m.outside, m.stale, m.terminalKeys}
	m.b.quiet()
	m.count[kinds[i%len(kinds)]()]++
}

// place is a point of the canvas at random.
func (m *matrixRun) place() image.Point {
	a := m.b.area.Inset(12)
	return image.Pt(a.Min.X+m.rnd.IntN(a.Dx()), a.Min.Y+m.rnd.IntN(a.Dy()))
}

// display is the one that a point is on.
func (m *matrixRun) display(p image.Point) string {
	m.t.Helper()
	list, err := m.u.session.Displays(m.t.Context(), m.u.turn)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, d := range list.Displays {
		if d.Box.Contains(wirePoint(p)) {
			return d.ID
		}
	}
	m.t.Fatalf("%v is on no display of %+v", p, list)
	return ""
}

// at is an action at a point, in a new picture of its display.
func (m *matrixRun) at(action string, p image.Point) in {
	m.t.Helper()
	display := m.display(p)
	a := in{Action: action, Observation: ObservationID(m.u.done(in{Action: screenshot, Display: display}).Result.Text)}
	s, ok := m.u.session.LastFrame("s", display).Picture(wirePoint(p))
	if !ok {
		m.t.Fatalf("%v is not in the picture of its display", p)
	}
	a.X, a.Y = &s.X, &s.Y
	return a
}

// unknownStatus claims nothing, so that there is nothing to judge.
const unknownStatus = string(computeruse.Unknown)

func (m *matrixRun) click() string {
	p, action := m.place(), []string{computeruse.LeftClick, computeruse.RightClick, computeruse.DoubleClick}[m.rnd.IntN(3)]
	o := m.u.done(m.at(action, p))
	if data(m.t, o).Status == unknownStatus {
		return unknownStatus
	}
	m.b.await(fmt.Sprintf("%s at %v, after %s", action, p, o.Result.Text), func(s statement) bool { return s.What == "press" && near(s, p) })
	m.b.await(fmt.Sprintf("its release at %v", p), func(s statement) bool { return s.What == "release" && near(s, p) })
	return data(m.t, o).Status
}

func (m *matrixRun) move() string {
	p := m.place()
	o := m.u.done(m.at(computeruse.MouseMove, p))
	if data(m.t, o).Status == unknownStatus {
		return unknownStatus
	}
	m.b.await(fmt.Sprintf("the pointer at %v", p), func(s statement) bool { return s.What == "motion" && near(s, p) })
	return data(m.t, o).Status
}

func (m *matrixRun) drag() string {
	p, to := m.place(), m.place()
	for m.display(p) != m.display(to) { // a picture is of one
		to = m.place()
	}
	end := m.at(computeruse.LeftClickDrag, to)
	a := m.at(computeruse.LeftClickDrag, p)
	a.ToX, a.ToY, a.MS = end.X, end.Y, 60
	o := m.u.done(a)
	if data(m.t, o).Status == unknownStatus {
		return unknownStatus
	}
	m.b.await(fmt.Sprintf("the press at %v", p), func(s statement) bool { return s.What == "press" && near(s, p) })
	m.b.await(fmt.Sprintf("the release at %v, from %v, after %s", to, p, o.Result.Text), func(s statement) bool { return s.What == "release" && near(s, to) })
	return data(m.t, o).Status
}

func (m *matrixRun) scroll() string {
	p := m.place()
	a := m.at(computeruse.Scroll, p)
	a.Direction, a.Amount = []string{"up", "down", "left", "right"}[m.rnd.IntN(4)], 1
	o := m.u.done(a)
	if data(m.t, o).Status == unknownStatus {
		return unknownStatus
	}
	m.b.await("a scroll "+a.Direction, func(s statement) bool { return s.What == "scroll" && s.Direction == a.Direction && near(s, p) })
	return data(m.t, o).Status
}

// scripts are letters of what people write.
var scripts = []string{
	"abcXYZ 019 /-_\\|@#{}[]~^", "äöüßÄÖÜ€–„“", "абвгдЖЭЮ", "你好世界", "こんにちは", "안녕하세요", "שלום", "مرحبا", "नमस्ते", "สวัสดี", "Ελληνικά", "😀✅🎉",
}

func (m *matrixRun) typed() string {
	var b strings.Builder
	for range 1 + m.rnd.IntN(8) {
		letters := []rune(scripts[m.rnd.IntN(len(scripts))])
		b.WriteRune(letters[m.rnd.IntN(len(letters))])
	}
	words := strings.TrimSpace(b.String()) + "x"
	m.b.order("clear")
	m.b.order("focus")
	o := m.u.done(in{Action: computeruse.Type, Text: words})
	if data(m.t, o).Status == unknownStatus {
		return unknownStatus
	}
	m.b.await(fmt.Sprintf("the text %q", words), func(s statement) bool { return s.What == "entry" && s.Text == words })
	return data(m.t, o).Status
}

func (m *matrixRun) chord() string {
	m.b.order("focus")
	key := []string{"F5", "Left", "Home", "ctrl+shift+F7", "Tab"}[m.rnd.IntN(4)]
	want := key[strings.LastIndexByte(key, '+')+1:]
	o := m.u.done(in{Action: computeruse.Key, Key: key})
	if data(m.t, o).Status == unknownStatus {
		return unknownStatus
	}
	m.b.await("the key "+key, func(s statement) bool {
		return s.What == "key" && s.Name == want && slices.Contains(s.Held, "ctrl") == strings.HasPrefix(key, "ctrl")
	})
	return data(m.t, o).Status
}

// outside: a point outside the picture.
func (m *matrixRun) outside() string {
	a := m.at(computeruse.LeftClick, m.place())
	a.X = new(5000.0)
	m.u.refused(a, "out_of_bounds")
	return m.nothing("out_of_bounds")
}

// stale: a picture that the conversation was never sent.
func (m *matrixRun) stale() string {
	m.u.refused(in{Action: computeruse.LeftClick, Observation: "o0-0", X: new(10.0), Y: new(10.0)}, "unknown_observation")
	return m.nothing("unknown_observation")
}

// terminalKeys: keys that would open a terminal.
func (m *matrixRun) terminalKeys() string {
	m.u.refused(in{Action: computeruse.Key, Key: "ctrl+alt+t"}, "forbidden_program")
	return m.nothing("forbidden_program")
}

// nothing holds that nothing reached the program.
func (m *matrixRun) nothing(code string) string {
	m.t.Helper()
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	<-timer.C
	if m.b.so(func(s statement) bool { return s.What == "press" || s.What == "key" || s.What == "entry" }) {
		m.t.Errorf("%s, and something arrived", code)
	}
	return code
}
