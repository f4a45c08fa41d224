package webpage

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// A style is the declarations of a style attribute, in lower case.
type style map[string]string

func styleOf(n *html.Node) style {
	text := attr(n, "style")
	if text == "" {
		return nil
	}
	s := style{}
	for decl := range strings.SplitSeq(strings.ToLower(text), ";") {
		name, value, ok := strings.Cut(decl, ":")
		value, _, _ = strings.Cut(value, "!")
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); ok && value != "" {
			s[name] = value
		}
	}
	return s
}

// hides reports whether the style makes an element unseen with all in it, in a
// way that nothing in it can undo.
func (s style) hides() bool {
	if len(s) == 0 {
		return false
	}
	switch {
	case s["display"] == "none", s["content-visibility"] == "hidden", zero(s["opacity"]), strings.HasPrefix(s["transform"], "scale(0)"):
		return true
	}
	return s.away() || s.clipped()
}

// far is how many pixels beside the page are past every screen's edge.
const far = -900

// away reports whether the element is moved out of the window.
func (s style) away() bool {
	if n, ok := pixels(s["text-indent"]); ok && n <= far {
		return true
	}
	if p := s["position"]; p != "absolute" && p != "fixed" && p != "relative" {
		return false
	}
	for _, side := range []string{"left", "top", "right", "bottom"} {
		if n, ok := pixels(s[side]); ok && n <= far {
			return true
		}
	}
	return false
}

var squeeze = strings.NewReplacer(" ", "", ",", "", "px", "")

// clipped reports whether nothing of the element's box is shown.
func (s style) clipped() bool {
	clip := strings.ReplaceAll(s["clip-path"], " ", "")
	if clip == "inset(50%)" || clip == "inset(100%)" || clip == "circle(0)" {
		return true
	}
	if rect := squeeze.Replace(s["clip"]); rect == "rect(0000)" || rect == "rect(1111)" {
		return true
	}
	if o := s["overflow"]; o != "hidden" && o != "clip" {
		return false
	}
	for _, side := range []string{"width", "height", "max-width", "max-height"} {
		if n, ok := pixels(s[side]); ok && n <= 1 {
			return true
		}
	}
	return false
}

func zero(number string) bool {
	n, err := strconv.ParseFloat(strings.TrimSuffix(number, "%"), 64)
	return err == nil && n < 0.02
}

// pixels reads a length. Relative ones count as of letters of 16 pixels.
func pixels(length string) (n float64, ok bool) {
	unit := strings.TrimLeft(length, "+-.0123456789")
	n, err := strconv.ParseFloat(strings.TrimSuffix(length, unit), 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	switch unit {
	case "", "px":
		return n, true
	case "pt":
		return n * 4 / 3, true
	case "em", "rem", "ex", "ch":
		return n * 16, true
	case "%", "vw", "vh":
		return n * 10, true
	case "cm":
		return n * 38, true
	case "in":
		return n * 96, true
	}
	return 0, false
}
