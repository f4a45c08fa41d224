//go:build linux

package portal

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// shots is what changes with pictures and pastes.
type shots struct {
	taking sync.Mutex // one picture at a time

	mu    sync.Mutex
	size  image.Point // of the last picture
	at    time.Time
	text  string // on the clipboard; empty: none is offered
	taken chan struct{}
}

func (s *shots) offer(text string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.taken = text, make(chan struct{})
	return s.taken
}

func (s *shots) offered() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text, s.taken != nil
}

// took says that a program has the text; it may ask for it again.
func (s *shots) took() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.taken:
	default:
		close(s.taken)
	}
}

// Grab returns the pixels of a box of the picture of all displays.
func (d *Desk) Grab(ctx context.Context, box wire.Box) (*image.RGBA, error) {
	all, err := d.shoot(ctx)
	if err != nil {
		return nil, err
	}
	r := image.Rect(box.X, box.Y, box.X+box.W, box.Y+box.H)
	if !r.In(all.Bounds()) || r.Empty() {
		return nil, &wire.Error{
			Code: wire.OutOfBounds, Message: fmt.Sprintf("The box %v is not within the picture of %v.", r, all.Bounds().Size()),
			Fix: "Ask for the displays again.",
		}
	}
	out := image.NewRGBA(image.Rect(0, 0, box.W, box.H))
	draw.Draw(out, out.Bounds(), all, r.Min, draw.Src)
	return out, nil
}

const (
	shotTime  = 20 * time.Second // GNOME asks once whether this program may
	maxPixels = 200_000_000      // of all displays
	maxFile   = 1 << 30
)

// shoot takes a picture of all displays.
func (d *Desk) shoot(ctx context.Context) (image.Image, error) {
	d.shots.taking.Lock()
	defer d.shots.taking.Unlock()
	ctx, cancel := context.WithTimeout(ctx, shotTime)
	defer cancel()
	begun := time.Now()
	results, err := d.ask(ctx, still+".Screenshot", nil, "")
	var r refusal
	switch {
	case errors.As(err, &r):
		return nil, denied("to see the screen", r)
	case missing(err):
		return nil, lacks("screenshots")
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &wire.Error{Code: wire.TimedOut, Message: "The desktop gave no screenshot in time; it may ask you whether it should.", Fix: "Answer its dialog, then try again."}
	case err != nil:
		return nil, failed("taking a screenshot", err)
	}
	uri, _ := results["uri"].Value().(string)
	img, err := open(uri, begun)
	if err != nil {
		return nil, failed("reading the screenshot of the desktop", err)
	}
	if black(img) {
		return nil, &wire.Error{
			Code: wire.Denied, Message: "The desktop gave a picture that is wholly black, as it does for what it does not want to be seen.",
			Fix: "Unlock the screen, and allow screenshots in the settings of the desktop.",
		}
	}
	d.shots.mu.Lock()
	defer d.shots.mu.Unlock()
	d.shots.size, d.shots.at = img.Bounds().Size(), time.Now()
	return img, nil
}

// open reads the file that the desktop made for us, and removes it. A file that
// was there before is not ours, and left alone.
func open(uri string, since time.Time) (image.Image, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" {
		return nil, fmt.Errorf("%q is no file", uri)
	}
	f, err := os.Open(u.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxFile {
		return nil, fmt.Errorf("%s is no picture", u.Path)
	}
	conf, err := png.DecodeConfig(f)
	if err != nil {
		return nil, err
	}
	if conf.Width*conf.Height > maxPixels {
		return nil, fmt.Errorf("a picture of %d×%d is too large", conf.Width, conf.Height)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, err := png.Decode(f)
	if err == nil && st.ModTime().After(since.Add(-time.Second)) { // clocks of file systems are coarse
		_ = os.Remove(u.Path)
	}
	return img, err
}

// black reports whether a picture shows nothing at all.
func black(img image.Image) bool {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, bl, _ := img.At(x, y).RGBA(); r|g|bl != 0 {
				return false
			}
		}
	}
	return true
}
