//go:build unix

package x11

import (
	"bytes"
	"errors"
	"image/png"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// TestServerThatLacks: without an extension what needs it says so, and the
// rest works.
func TestServerThatLacks(t *testing.T) {
	t.Run("shared memory", func(t *testing.T) {
		d := desk.Screen(t, "800x600", "-extension", "MIT-SHM")
		c := serve(t, d)
		var r wire.CaptureResult
		c.do(wire.Capture, wire.CaptureParams{}, &r)
		if img, err := png.Decode(bytes.NewReader(r.Image)); err != nil || img.Bounds().Dx() != 800 {
			t.Errorf("the picture is %v, %v", r.Sent, err)
		}
	})
	t.Run("RandR", func(t *testing.T) {
		d := desk.Screen(t, "800x600", "-extension", "RANDR")
		c := serve(t, d)
		var all wire.DisplaysResult
		c.do(wire.Displays, nil, &all)
		if len(all.Displays) != 1 || all.Displays[0].Box != (wire.Box{W: 800, H: 600}) || !all.Displays[0].Primary {
			t.Errorf("the displays are %+v", all)
		}
	})
	t.Run("input", func(t *testing.T) {
		d := desk.Screen(t, "800x600", "-extension", "XTEST")
		c := serve(t, d)
		var hello wire.HelloResult
		c.do(wire.Hello, wire.HelloParams{Protocol: wire.Protocol}, &hello)
		for _, have := range hello.Capabilities {
			needs := have.Name == wire.CanPointer || have.Name == wire.CanKeys || have.Name == wire.CanText
			if needs && (have.Works || !strings.Contains(have.Reason, "XTEST") || have.Fix == "") {
				t.Errorf("without XTEST: %+v", have)
			}
			if have.Name == wire.CanCapture && !have.Works {
				t.Errorf("pictures need no XTEST: %+v", have)
			}
		}
		c.refused(wire.Unsupported, wire.Move, wire.MoveParams{Point: wire.Point{X: 1, Y: 1}})
		c.refused(wire.Unsupported, wire.Type, wire.TypeParams{Text: "x"})
		c.do(wire.Capture, wire.CaptureParams{}, nil)
	})
	t.Run("display", func(t *testing.T) {
		for _, display := range []string{"", ":59999", "nonsense"} {
			var e *wire.Error
			if _, err := Open(t.Context(), display); !errors.As(err, &e) || e.Code != wire.NoDisplay || e.Fix == "" {
				t.Errorf("Open(%q) = %v", display, err)
			}
		}
	})
}

// TestLargeContent: what goes over the clipboard in parts comes back the same.
func TestLargeContent(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "800x600")
	f, c := startFixture(t, d, "judge"), serve(t, d)
	f.ask("picture")
	sum := func() string {
		t.Helper()
		out, err := d.Run("sh", "-c", "xclip -selection clipboard -target image/bmp -out | sha256sum; xclip -selection clipboard -target image/bmp -out | wc -c")
		if err != nil {
			t.Fatal(out, err)
		}
		return out
	}
	before := sum()
	f.arrives(c, wire.Paste, "over a large picture", "pasted")
	if after := sum(); after != before {
		t.Errorf("the picture was %s and is %s", before, after)
	}
	t.Log(before)
}
