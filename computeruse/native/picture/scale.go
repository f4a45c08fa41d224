package picture

import (
	"image"

	"golang.org/x/image/draw"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Scale returns the picture in exactly that size. A smaller one takes all
// pixels into account, so that thin lines and small text stay readable.
func Scale(pix *image.RGBA, to wire.Size) *image.RGBA {
	if pix.Bounds().Dx() == to.W && pix.Bounds().Dy() == to.H {
		return pix
	}
	out := image.NewRGBA(image.Rect(0, 0, to.W, to.H))
	draw.CatmullRom.Scale(out, out.Bounds(), pix, pix.Bounds(), draw.Src, nil)
	return out
}
