//go:build linux

package tool

import (
	"image"
	"regexp"
	"strconv"
	"testing"

	"github.com/hobkin/hobkin/computeruse"
)

// found is a number or reference before a described element.
func found(t *testing.T, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing fits %s in:\n%s", pattern, text)
	}
	return m[1]
}

// byElements: elements are listed with references, pressed and set without the
// pointer, and clicked; what cannot be used says so.
func byElements(t *testing.T, u *user, b *program, _ image.Point) {
	t.Helper()
	u.shot()
	pointer := u.done(in{Action: cursor}).Result.Text
	o := u.done(in{Action: elements})
	id, list := ObservationID(o.Result.Text), o.Result.Text
	send, name, locked := found(t, list, `(e\d+) push button “Send”`), found(t, list, `(e\d+) text “Name”`), found(t, list, `(e\d+) push button “Locked”.*disabled`)
	u.done(in{Action: computeruse.Press, Observation: id, Element: send})
	b.await("the button", func(s statement) bool { return s.What == "button" && s.Label == "Send" })
	u.done(in{Action: computeruse.SetValue, Observation: id, Element: name, Value: "Grüße 😀"})
	b.await("the text", func(s statement) bool { return s.What == "entry" && s.Text == "Grüße 😀" })
	u.refused(in{Action: computeruse.Press, Observation: id, Element: locked}, "not_actionable")
	u.refused(in{Action: computeruse.LeftClick, Observation: id, Element: locked}, "not_actionable")
	u.refused(in{Action: computeruse.Press, Observation: id, Element: "e4711"}, "unknown_element")
	u.refused(in{Action: computeruse.Press, Observation: u.shot(), Element: send}, "unknown_element")
	if now := u.done(in{Action: cursor}).Result.Text; found(t, now, `is at (\d+,\d+)`) != found(t, pointer, `is at (\d+,\d+)`) {
		t.Errorf("the pointer moved from %s to %s", pointer, now)
	}
	u.done(in{Action: computeruse.LeftClick, Observation: id, Element: send})
	b.await("the button, clicked", func(s statement) bool { return s.What == "button" })
}

// byMarks: things are numbered in the picture, and the numbers are good for
// clicks and presses as long as they are of that picture.
func byMarks(t *testing.T, u *user, b *program, _ image.Point) {
	t.Helper()
	o := u.done(in{Action: screenshot, Marks: true})
	id := ObservationID(o.Result.Text)
	n, err := strconv.Atoi(found(t, o.Result.Text, `mark (\d+): push button “Send”`))
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{computeruse.LeftClick, computeruse.Press} {
		u.done(in{Action: action, Observation: id, Mark: n})
		b.await("the button", func(s statement) bool { return s.What == "button" && s.Label == "Send" })
	}
	u.refused(in{Action: computeruse.LeftClick, Observation: id, Mark: 99}, "unknown_element")
	u.refused(in{Action: computeruse.LeftClick, Observation: u.shot(), Mark: n}, "unknown_element")
}
