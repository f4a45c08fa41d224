package webpage

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
	"golang.org/x/net/html"
)

// A colour is red, green and blue, 0 to 255.
type colour [3]float64

// alike reports whether letters of one colour cannot be read on the other.
func (c colour) alike(o colour) bool {
	d := 0.0
	for i := range c {
		d += math.Abs(c[i] - o[i])
	}
	return d <= 24
}

// backgroundOf is the colour that an element paints behind its text.
func backgroundOf(n *html.Node, s style) (c colour, painted, known bool) {
	for _, v := range []string{s["background-color"], s["background"], attr(n, "bgcolor")} {
		if v == "" || v == "transparent" || v == "none" || v == "inherit" {
			continue
		}
		c, known = parseColour(v)
		return c, true, known
	}
	return colour{}, s["background-image"] != "", false
}

// inkOf is the colour that an element sets for its text.
func inkOf(n *html.Node, s style) (colour, bool) {
	v := s["color"]
	if v == "" && n.Data == "font" {
		v = attr(n, "color")
	}
	return parseColour(v)
}

// parseColour reads a name, #rgb, #rrggbb, rgb(…) or rgba(…).
func parseColour(v string) (c colour, ok bool) {
	v = strings.ToLower(strings.TrimSpace(v))
	if named, ok := colornames.Map[v]; ok {
		return colour{float64(named.R), float64(named.G), float64(named.B)}, true
	}
	if hex, ok := strings.CutPrefix(v, "#"); ok {
		return parseHex(hex)
	}
	_, inner, ok := strings.Cut(v, "(")
	if !ok || !strings.HasPrefix(v, "rgb") {
		return c, false
	}
	parts := strings.FieldsFunc(strings.TrimSuffix(inner, ")"), func(r rune) bool { return strings.ContainsRune(", /", r) })
	if len(parts) < 3 {
		return c, false
	}
	for i := range c {
		n, err := strconv.ParseFloat(strings.TrimSuffix(parts[i], "%"), 64)
		if err != nil {
			return c, false
		}
		if strings.HasSuffix(parts[i], "%") {
			n *= 2.55
		}
		c[i] = n
	}
	return c, true
}

func parseHex(hex string) (c colour, ok bool) {
	if len(hex) == 3 || len(hex) == 4 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	if len(hex) != 6 && len(hex) != 8 {
		return c, false
	}
	n, err := strconv.ParseUint(hex[:6], 16, 32)
	if err != nil {
		return c, false
	}
	return colour{float64(n >> 16), float64(n >> 8 & 0xff), float64(n & 0xff)}, true
}
