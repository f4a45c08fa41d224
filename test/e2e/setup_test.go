package e2e

import (
	"context"
	"image"
	_ "image/png" // of the pictures
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/test/desk"
	"github.com/hobkin/hobkin/test/suite"
)

// TestSetup opens the settings from the tray, with a real tool server, and
// closes them: the agent goes on.
func TestSetup(t *testing.T) {
	server := suite.NPM(t, "@modelcontextprotocol/server-filesystem", "dist/index.js")
	node := suite.Node(t)
	d := desk.Start(t)
	project := home(t, d)
	app := d.Go(program(t, "hobkin-desktop"), "--background")
	item := d.Tray("Hobkin")
	c := client(t, d)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	add := func(e control.ServerEntry) {
		t.Helper()
		if err := c.AddServer(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	add(control.ServerEntry{Name: "files", Command: node, Args: []string{server, project}})
	add(control.ServerEntry{Name: "broken", Command: node, Args: []string{"-e", "console.error('CALENDAR_KEY is not set'); process.exit(3)"}})
	d.Until("the server to be ready", func() bool {
		list, err := c.Servers(ctx)
		return err == nil && len(list) == 2 && list[1].State == "ready" && len(list[1].Tools) > 5 && list[0].State == "quarantined"
	})

	item.Choose("Setup…")
	d.Window("Setup")
	if d.HasWindow("^Hobkin$") {
		t.Error("the chat opened too")
	}
	picture := filepath.Join(t.TempDir(), "setup.png")
	d.Until("the list of pages to be as high as the window", func() bool {
		d.Picture(d.Window("Setup"), picture)
		img := decoded(t, picture)
		b := img.Bounds()
		return img.At(4, b.Dy()-4) == img.At(4, b.Dy()/10) && img.At(4, b.Dy()-4) != img.At(b.Dx()/2, b.Dy()-4)
	})
	d.Key("alt+F4")
	d.Until("the window to close", func() bool { return !d.HasWindow("Setup") })
	if _, ok := item.Row("Ready"); !ok {
		t.Errorf("with the window closed the tray says %v", item.Rows())
	}
	item.Choose("Setup…")
	d.Window("Setup")
	item.Choose("Quit")
	if err := app.Wait(); err != nil {
		t.Errorf("after Quit: %v", err)
	}
}

func decoded(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}
