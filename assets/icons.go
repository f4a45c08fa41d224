package assets

import "embed"

// Icons are the drawings of Hobkin's own, under icons/: hobkin.svg is the
// application, tray-STATE.svg its monochrome forms, the rest small signs.
//
//go:embed icons/*.svg
var Icons embed.FS
