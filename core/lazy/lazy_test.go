package lazy

import "testing"

func TestRegexp(t *testing.T) {
	re := Regexp(`^a+$`)
	first, again := re(), re()
	if !first.MatchString("aa") || first.MatchString("b") || first != again {
		t.Error("it is not the expression, compiled once")
	}
	wrong := Regexp(`(`) // no panic before it is used
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression was taken")
		}
	}()
	wrong()
}
