package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"github.com/hobkin/hobkin/assets"
)

// Icon is an icon of ours in the colour of quiet text; name is a file of
// assets/icons without its ending.
func Icon(name string) fyne.Resource {
	raw, err := assets.Icons.ReadFile("icons/" + name + ".svg")
	if err != nil {
		return theme.BrokenImageIcon()
	}
	return theme.NewColoredResource(fyne.NewStaticResource(name+".svg", raw), ColorQuiet)
}

// Sign is a small icon in a colour, to stand beside text.
func Sign(icon fyne.Resource, colour fyne.ThemeColorName) fyne.CanvasObject {
	img := canvas.NewImageFromResource(theme.NewColoredResource(icon, colour))
	img.FillMode = canvas.ImageFillContain
	return container.New(signLayout{}, img)
}

const signSize = 16

type signLayout struct{}

func (signLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Resize(fyne.NewSquareSize(signSize))
	objects[0].Move(fyne.NewPos((size.Width-signSize)/2, 2))
}

func (signLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(signSize, signSize+2)
}

// AppIcon is the application's icon.
func AppIcon() fyne.Resource { return fyne.NewStaticResource("hobkin.png", assets.AppIcon) }
