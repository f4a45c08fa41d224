package assets

import "embed"

// Icons are the pictures of the app and of the tray, under icons/.
//
//go:embed icons/*.svg icons/*.png
var Icons embed.FS

// TrayIcon is the tray's picture for a state such as working, as PNG. A state
// without a picture of its own has that of ready.
func TrayIcon(state string) []byte {
	b, err := Icons.ReadFile("icons/tray-" + state + ".png")
	if err != nil {
		b, _ = Icons.ReadFile("icons/tray-ready.png") // embedded: it is there
	}
	return b
}
