package assets

import "embed"

//go:embed icons/tray-*.png
var tray embed.FS

// AppIcon is the application's picture, 128 pixels square, as PNG: desktops take
// a window's icon as pixels.
//
//go:embed icons/hobkin-128.png
var AppIcon []byte

// TrayIcon is the tray's picture for a state such as working, as PNG. A state
// without a picture of its own has that of ready.
func TrayIcon(state string) []byte {
	b, err := tray.ReadFile("icons/tray-" + state + ".png")
	if err != nil {
		b, _ = tray.ReadFile("icons/tray-ready.png") // embedded: it is there
	}
	return b
}
