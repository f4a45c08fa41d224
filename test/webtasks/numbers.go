package main

import (
	"regexp"
	"strconv"
	"strings"
)

func algebra(t *task) {
	s := t.look()
	for _, text := range s.texts() {
		m := regexp.MustCompile(`^(\w+)\s*([-+−–])\s*(\w+)\s*=\s*(-?\d+)$`).FindStringSubmatch(text)
		if m == nil {
			continue
		}
		var x int
		switch result := number(m[4]); {
		case m[1] == "x" && m[2] == "+":
			x = result - number(m[3])
		case m[1] == "x":
			x = result + number(m[3])
		case m[2] == "+":
			x = result - number(m[1])
		default:
			x = number(m[1]) - result
		}
		t.fill(nth(s.of("textbox"), 1), strconv.Itoa(x))
		t.submit()
		return
	}
	t.lost()
}

func arithmetic(t *task) {
	s := t.look()
	for _, text := range s.texts() {
		m := regexp.MustCompile(`^(-?\d+)\s*([-+*x×])\s*(-?\d+)\s*=$`).FindStringSubmatch(text)
		if m == nil {
			continue
		}
		a, b := number(m[1]), number(m[3])
		result := map[string]int{"+": a + b, "-": a - b, "x": a * b, "*": a * b, "×": a * b}[m[2]]
		t.fill(nth(s.of("textbox"), 1), strconv.Itoa(result))
		t.submit()
		return
	}
	t.lost()
}

// sliders moves each handle by the arrow keys until the number beside it is the
// wanted one.
func sliders(t *task) {
	var want []int
	if m := regexp.MustCompile(`\[([-\d,]+)\]`).FindStringSubmatch(t.say); m != nil {
		for n := range strings.SplitSeq(m[1], ",") {
			want = append(want, number(n))
		}
	} else {
		want = []int{number(t.match(`Select (-?\d+)`)[1])}
	}
	for i, n := range want {
		t.slide(i+1, n)
	}
	t.submit()
}

func (t *task) slide(i, want int) {
	for range 400 {
		s := t.look()
		handle := nth(s.of("focusable"), i)
		if handle == nil {
			t.lost()
			return
		}
		shown := s.after(handle, "")
		if shown == nil {
			t.lost()
			return
		}
		switch at := number(shown.name); {
		case at == want:
			return
		case at < want:
			t.press(handle, "ArrowRight")
		default:
			t.press(handle, "ArrowLeft")
		}
	}
	t.lost()
}

// guess halves what is left.
func guess(t *task) {
	low, high := 0, 9
	for low <= high && t.err == nil {
		mid := (low + high) / 2
		s := t.look()
		t.fill(s.find(func(l *line) bool { return l.role == "spinbutton" }), strconv.Itoa(mid))
		t.submit()
		said := strings.Join(t.look().texts(), " ")
		switch {
		case strings.Contains(said, "is higher than"):
			low = mid + 1
		case strings.Contains(said, "is lower than"):
			high = mid - 1
		default:
			return
		}
	}
}
