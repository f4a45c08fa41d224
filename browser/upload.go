package browser

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
)

// chooser is a dialog for files that a page has asked for.
type chooser struct {
	session  *cdp.Session
	node     int64
	multiple bool
}

// chooserTime is how long an act may take to ask for files.
const chooserTime = 3 * time.Second

// Upload runs an act that asks for files, such as a click on a button, and gives
// these in the place of the dialog, which is never shown. An input for files that
// can be named is better set directly, see [SetFiles].
func (t *Tab) Upload(ctx context.Context, files []string, act func(ctx context.Context) error) (*Effect, error) {
	if err := checkFiles(files); err != nil {
		return nil, err
	}
	return t.Settle(ctx, func(ctx context.Context) error {
		v, done, err := t.use(ctx)
		if err != nil {
			return err
		}
		defer done()
		asked := make(chan chooser, 1)
		for _, s := range v.sessions() {
			defer listenChooser(s, asked)()
			if err := s.Call(ctx, "Page.setInterceptFileChooserDialog", map[string]any{"enabled": true}, nil); err != nil {
				return err
			}
			defer func() { s.Post("Page.setInterceptFileChooserDialog", map[string]any{"enabled": false}) }()
		}
		if err := act(ctx); err != nil {
			return err
		}
		timer := time.NewTimer(chooserTime)
		defer timer.Stop()
		select {
		case c := <-asked:
			if len(files) > 1 && !c.multiple {
				return BadFile.Becausef("the page takes one file, not %d", len(files)).Trying("give one file")
			}
			return SetFiles(ctx, c.session, map[string]any{"backendNodeId": c.node}, files)
		case <-timer.C:
			return NoFileChooser.Becausef("the act opened no dialog for files")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

func listenChooser(s *cdp.Session, asked chan chooser) (off func()) {
	return cdp.On(s, "Page.fileChooserOpened", func(e struct {
		Mode string `json:"mode"`
		Node int64  `json:"backendNodeId"`
	},
	) {
		select {
		case asked <- chooser{s, e.Node, e.Mode == "selectMultiple"}:
		default: // one is enough
		}
	})
}

// SetFiles gives files to an input for files. The element is named as the
// protocol does: by objectId, nodeId or backendNodeId.
func SetFiles(ctx context.Context, s *cdp.Session, element map[string]any, files []string) error {
	if err := checkFiles(files); err != nil {
		return err
	}
	params := map[string]any{"files": files}
	maps.Copy(params, element)
	return s.Call(ctx, "DOM.setFileInputFiles", params, nil)
}

// checkFiles refuses what is no file: the browser would take the name and send
// nothing.
func checkFiles(files []string) error {
	if len(files) == 0 {
		return BadFile.Becausef("no file is named")
	}
	for _, path := range files {
		if !filepath.IsAbs(path) {
			return BadFile.Becausef("%s is no whole path", path)
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return BadFile.Becausef("the file %s is not there", path)
		case !info.Mode().IsRegular():
			return BadFile.Becausef("%s is no file", path)
		}
	}
	return nil
}
