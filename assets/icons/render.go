//go:build ignore

// Render draws the icons: the SVG sources here and PNGs of every size. Run it in
// this folder after changing a shape: go run render.go
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"

	"github.com/fyne-io/oksvg"
	"github.com/srwiley/rasterx"
)

// The shape, on a square of 64: a house spirit's cap over an open hand.
const (
	cap_ = "M13 31 C15 17 25 5 45 5 C41 10 42 15 46 20 C50 25 51 28 51 31 Z"
	band = "M12 34 H52 C54 34 55 35 55 37 C55 39 54 40 52 40 H12 C10 40 9 39 9 37 C9 35 10 34 12 34 Z"
	hand = "M7 46 C13 43 19 44 24 48 L37 48 C40 48 40 53 37 53 L31 53 L41 53 L53 45 C56 43 60 47 57 50 L46 58 C44 60 42 60 40 60 L19 60 L7 57 Z"
)

// marks are the states' own shapes, at the lower right; the glyph leaves room.
var marks = map[string]string{
	"ready":   "",
	"working": ring,
	"waiting": disc,
	"paused":  "M40 38 H46 V60 H40 Z M52 38 H58 V60 H52 Z",
	"error":   "M49 36 L62 60 H36 Z",
}

const (
	disc = "M49 36 A12 12 0 1 1 48.9 36 Z"
	ring = "M49 36 A12 12 0 1 1 48.9 36 Z M49 42 A6 6 0 1 0 49.1 42 Z"
)

func main() {
	app := svg("#2f6f5e", "#f7f6f3", "")
	must(os.WriteFile("hobkin.svg", []byte(app), 0o644))
	for _, size := range []int{16, 22, 24, 32, 48, 64, 128, 256, 512} {
		must(os.WriteFile(fmt.Sprintf("hobkin-%d.png", size), draw(app, size), 0o644))
	}
	button := stop()
	must(os.WriteFile("tray-stop.svg", []byte(button), 0o644))
	must(os.WriteFile("tray-stop.png", draw(button, 48), 0o644))
	for state := range marks {
		s := tray(state)
		must(os.WriteFile("tray-"+state+".svg", []byte(s), 0o644))
		must(os.WriteFile("tray-"+state+".png", draw(s, 48), 0o644))
	}
}

// svg is the app's icon: the shape on a rounded ground.
func svg(ground, ink, more string) string {
	return head + fmt.Sprintf(`<rect x="0" y="0" width="64" height="64" rx="14" ry="14" fill="%s"/><g transform="translate(8.5,8) scale(0.74,0.74)">`, ground) +
		path(cap_, ink, "") + path(band, ink, "") + path(hand, ink, "") + more + "</g></svg>\n"
}

// tray is a state's picture: light with a dark edge, so that it stands out on a
// light panel and on a dark one.
func tray(state string) string {
	const ink, edge = "#f7f6f3", "#23211e"
	s := head
	for _, p := range []string{cap_, band, hand} {
		s += path(p, edge, edge)
	}
	for _, p := range []string{cap_, band, hand} {
		s += path(p, ink, "")
	}
	if m := marks[state]; m != "" {
		s += `<path d="` + m + `" fill="` + edge + `" stroke="` + edge + `" stroke-width="9" stroke-linejoin="round"/>`
		s += path(m, colours[state], "")
	}
	return s + "</svg>\n"
}

// stop is what the tray shows while the screen is used: a button and nothing
// else, since a click on it stops.
func stop() string {
	const ink, edge, bad = "#f7f6f3", "#23211e", "#b3372f"
	return head + `<rect x="2" y="2" width="60" height="60" rx="16" ry="16" fill="` + edge + `"/>` +
		`<rect x="5" y="5" width="54" height="54" rx="13" ry="13" fill="` + ink + `"/>` +
		`<rect x="9" y="9" width="46" height="46" rx="10" ry="10" fill="` + bad + `"/>` +
		`<rect x="21" y="21" width="22" height="22" rx="3" ry="3" fill="` + ink + `"/></svg>` + "\n"
}

// colours repeat in colour what the shapes say already.
var colours = map[string]string{"working": "#67b39d", "waiting": "#e2a04a", "paused": "#f7f6f3", "error": "#e0766d"}

const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">`

func path(d, fill, stroke string) string {
	if stroke == "" {
		return `<path d="` + d + `" fill="` + fill + `" fill-rule="evenodd"/>`
	}
	return `<path d="` + d + `" fill="` + fill + `" stroke="` + stroke + `" stroke-width="5" stroke-linejoin="round"/>`
}

func draw(svg string, size int) []byte {
	icon, err := oksvg.ReadIconStream(bytes.NewReader([]byte(svg)))
	must(err)
	icon.SetTarget(0, 0, float64(size), float64(size))
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	icon.Draw(rasterx.NewDasher(size, size, rasterx.NewScannerGV(size, size, img, img.Bounds())), 1)
	var b bytes.Buffer
	must(png.Encode(&b, img))
	return b.Bytes()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
