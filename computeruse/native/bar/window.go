package bar

import (
	"errors"
	"image"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A window is the strip as the X server knows it.
type window struct {
	conn   *xgb.Conn
	screen *xproto.ScreenInfo
	id     xproto.Window
	gc     xproto.Gcontext
	pixmap xproto.Pixmap // what it shows; 0: nothing yet
	shaped bool          // the server has the extension SHAPE

	canRedirect, redirected bool

	box     wire.Box
	button  image.Rectangle // within the box
	mapped  bool
	instant bool // what lies under it is seen the moment it goes
}

func newWindow(conn *xgb.Conn) (*window, error) {
	w := &window{conn: conn, screen: xproto.Setup(conn).DefaultScreen(conn)}
	if d := w.screen.RootDepth; d != 24 && d != 32 || xproto.Setup(conn).ImageByteOrder != xproto.ImageOrderLSBFirst {
		return nil, errors.New("the strip needs a screen of 24 bits")
	}
	var err error
	if w.id, err = xproto.NewWindowId(conn); err != nil {
		return nil, err
	}
	if w.gc, err = xproto.NewGcontextId(conn); err != nil {
		return nil, err
	}
	w.shaped = w.extension("SHAPE")
	w.canRedirect = w.extension("Composite") && w.version()
	err = xproto.CreateWindowChecked(conn, w.screen.RootDepth, w.id, w.screen.Root, 0, 0, 1, 1, 0,
		xproto.WindowClassInputOutput, w.screen.RootVisual, xproto.CwOverrideRedirect|xproto.CwEventMask,
		[]uint32{1, xproto.EventMaskButtonPress | xproto.EventMaskVisibilityChange}).Check()
	if err != nil {
		return nil, err
	}
	const events = xproto.EventMaskStructureNotify | xproto.EventMaskSubstructureNotify
	return w, errors.Join(
		xproto.CreateGCChecked(conn, w.gc, xproto.Drawable(w.id), 0, nil).Check(),
		xproto.ChangeWindowAttributesChecked(conn, w.screen.Root, xproto.CwEventMask, []uint32{events}).Check(),
		xproto.ChangePropertyChecked(conn, xproto.PropModeReplace, w.id, xproto.AtomWmName, xproto.AtomString, 8,
			uint32(len(name)), []byte(name)).Check(),
	)
}

const name = "Hobkin"

// extension makes an extension usable on this connection alone: what xgb has
// for it writes to variables of the whole process.
func (w *window) extension(name string) bool {
	r, err := xproto.QueryExtension(w.conn, uint16(len(name)), name).Reply() //nolint:gosec // a short name
	if err != nil || !r.Present {
		return false
	}
	w.conn.ExtLock.Lock()
	defer w.conn.ExtLock.Unlock()
	w.conn.Extensions[name] = r.MajorOpcode
	return true
}

func (w *window) version() bool {
	_, err := composite.QueryVersion(w.conn, 0, 4).Reply()
	return err == nil
}

// put gives the window a picture and a place. The server paints it by itself
// from then on.
func (w *window) put(p picture, at place) error {
	size := p.img.Bounds().Size()
	pixmap, err := w.upload(p.img)
	if err != nil {
		return err
	}
	w.box = wire.Box{X: at.display.X + (at.display.W-size.X)/2, Y: at.display.Y, W: size.X, H: size.Y} // the middle
	w.button = p.button
	xproto.ConfigureWindow(w.conn, w.id, xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowWidth|xproto.ConfigWindowHeight,
		[]uint32{uint32(w.box.X), uint32(w.box.Y), uint32(w.box.W), uint32(w.box.H)}) //nolint:gosec // negative ones are meant so by the protocol
	xproto.ChangeWindowAttributes(w.conn, w.id, xproto.CwBackPixmap, []uint32{uint32(pixmap)})
	if w.pixmap != 0 {
		xproto.FreePixmap(w.conn, w.pixmap)
	}
	w.pixmap = pixmap
	w.shape(p)
	return xproto.ClearAreaChecked(w.conn, false, w.id, 0, 0, 0, 0).Check()
}

// upload sends a picture to the server, in pieces that a request can hold.
func (w *window) upload(img *image.RGBA) (xproto.Pixmap, error) {
	id, err := xproto.NewPixmapId(w.conn)
	if err != nil {
		return 0, err
	}
	size := img.Bounds().Size()
	xproto.CreatePixmap(w.conn, w.screen.RootDepth, id, xproto.Drawable(w.screen.Root), uint16(size.X), uint16(size.Y)) //nolint:gosec // smaller than a display
	row := 4 * size.X
	rows := max(1, maxRequest/row)
	for y := 0; y < size.Y; y += rows {
		n := min(rows, size.Y-y)
		raw := make([]byte, 0, n*row)
		for i := y * img.Stride; i < (y+n)*img.Stride; i += 4 {
			raw = append(raw, img.Pix[i+2], img.Pix[i+1], img.Pix[i], 0xff)
		}
		err := xproto.PutImageChecked(w.conn, xproto.ImageFormatZPixmap, xproto.Drawable(id), w.gc,
			uint16(size.X), uint16(n), 0, int16(y), 0, w.screen.RootDepth, raw).Check() //nolint:gosec // as above
		if err != nil {
			return 0, err
		}
	}
	return id, nil
}

const maxRequest = 200_000 // bytes; the protocol allows 262,140

// shape lets clicks through all but the button, and rounds the lower corners.
func (w *window) shape(p picture) {
	if !w.shaped {
		return
	}
	set := func(kind shape.Kind, list []image.Rectangle) {
		rects := make([]xproto.Rectangle, len(list))
		for i, r := range list {
			rects[i] = xproto.Rectangle{X: int16(r.Min.X), Y: int16(r.Min.Y), Width: uint16(r.Dx()), Height: uint16(r.Dy())} //nolint:gosec // within the strip
		}
		shape.Rectangles(w.conn, shape.SoSet, kind, xproto.ClipOrderingUnsorted, w.id, 0, 0, rects)
	}
	set(shape.SkBounding, p.outline())
	var input []image.Rectangle
	if !p.button.Empty() {
		input = append(input, p.button)
	}
	set(shape.SkInput, input)
}

// show puts the strip on top of the screen.
func (w *window) show() error {
	if w.mapped {
		w.raise()
		return nil
	}
	w.redirect()
	w.raise()
	err := xproto.MapWindowChecked(w.conn, w.id).Check()
	w.mapped = err == nil
	return err
}

// hide takes it off, and returns when the server has done so.
func (w *window) hide() error {
	if !w.mapped {
		return nil
	}
	w.mapped = false
	return xproto.UnmapWindowChecked(w.conn, w.id).Check()
}

// look returns what the screen shows in the place of the strip; nil when it
// cannot be read.
func (w *window) look() []byte {
	r, err := xproto.GetImage(w.conn, xproto.ImageFormatZPixmap, xproto.Drawable(w.screen.Root), int16(w.box.X), int16(w.box.Y), uint16(w.box.W), uint16(w.box.H), 1<<32-1).Reply() //nolint:gosec // as above
	if err != nil {
		return nil
	}
	return r.Data
}

// rest hides it for long.
func (w *window) rest() error {
	err := w.hide()
	if w.redirected {
		composite.UnredirectSubwindows(w.conn, w.screen.Root, composite.RedirectAutomatic)
		w.redirected = false
	}
	return err
}

// redirect has the server keep the whole content of all windows while the strip
// is shown, so that what lies under it need not be drawn anew by its programs
// when it goes. A compositing manager does so already, in its own time.
func (w *window) redirect() {
	w.instant = false
	if !w.canRedirect || w.composited() {
		return
	}
	if !w.redirected {
		w.redirected = composite.RedirectSubwindowsChecked(w.conn, w.screen.Root, composite.RedirectAutomatic).Check() == nil
	}
	w.instant = w.redirected
}

// composited reports whether a compositing manager runs, by the selection that
// EWMH has it own.
func (w *window) composited() bool {
	const selection = "_NET_WM_CM_S0"
	a, err := xproto.InternAtom(w.conn, false, uint16(len(selection)), selection).Reply()
	if err != nil {
		return false
	}
	o, err := xproto.GetSelectionOwner(w.conn, a.Atom).Reply()
	return err == nil && o.Owner != xproto.WindowNone
}

func (w *window) raise() {
	xproto.ConfigureWindow(w.conn, w.id, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
}

// What an event means for the strip.
type meaning int

const (
	nothing meaning = iota
	clicked
	covered // another window has come above it
	resized // the screen has
)

// judge tells what an event means. Menus and the like, of which window managers
// know nothing either, may lie above the strip: two such windows that both want
// to be on top would fight for ever.
func (w *window) judge(ev xgb.Event) meaning {
	switch e := ev.(type) {
	case xproto.ButtonPressEvent:
		if e.Event == w.id && e.Detail <= 3 { // not the wheel
			return clicked
		}
	case xproto.ConfigureNotifyEvent:
		if e.Window == w.screen.Root {
			return resized
		}
		if e.Window != w.id && !e.OverrideRedirect {
			return covered
		}
	case xproto.MapNotifyEvent:
		if e.Window != w.id && !e.OverrideRedirect {
			return covered
		}
	}
	return nothing
}
