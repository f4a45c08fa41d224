package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/browser"
)

// events tells what happened by itself since the last call of the conversation,
// and hands downloads on.
func (d *deed) events(ctx context.Context) error {
	d.h.mu.Lock()
	s := d.h.of(d.call.Turn.Session)
	notes, last := d.r.Since(s.serial[d.out.Profile])
	s.serial[d.out.Profile] = last
	d.h.mu.Unlock()
	for _, n := range notes {
		if text := noteText(n); text != "" && !(n.Tab != "" && d.in.Action == "close" && n.Tab == d.in.Tab) {
			d.out.Events = append(d.out.Events, text)
		}
	}
	return d.downloads(ctx)
}

// noteText is what happened, as a sentence; empty for downloads, which are told
// of by where they lie.
func noteText(n browser.Note) string {
	switch n.Kind {
	case browser.NotePopup:
		return "The page opened the tab " + n.Tab + "."
	case browser.NoteClosed:
		return "The tab " + n.Tab + " is gone: " + n.Text + "."
	case browser.NoteDialog:
		return "The tab " + n.Tab + " showed a dialog: " + n.Text + "."
	case browser.NoteCrash:
		return "In the tab " + n.Tab + " " + n.Text + "; reload it."
	case browser.NoteRestart:
		return "The browser was started anew: " + n.Text + "."
	case browser.NoteDownload:
		if strings.HasPrefix(n.Text, "failed") || strings.HasPrefix(n.Text, "refused") {
			return "A download " + n.Text + "."
		}
	}
	return ""
}

// downloads hands what has arrived on to the folder of the conversation, and
// tells what is still on its way.
func (d *deed) downloads(ctx context.Context) error {
	for _, one := range d.r.Downloads() {
		switch {
		case one.State == browser.Downloading:
			d.out.Events = append(d.out.Events, "Downloading "+one.Name+": "+progress(one)+".")
			continue
		case one.State != browser.Completed || one.Path == "" || !d.r.hand(one.ID):
			continue
		}
		if d.r.Attached() {
			d.out.Events = append(d.out.Events, "Downloaded "+one.Name+" to where the person's own browser puts it.")
			continue
		}
		to, err := d.handOn(ctx, one)
		if err != nil {
			return err
		}
		d.out.files = append(d.out.files, to)
		d.out.Events = append(d.out.Events, fmt.Sprintf("Downloaded %s (%d bytes) to %s", one.Name, one.Received, to))
	}
	return nil
}

func progress(one browser.Download) string {
	if one.Total > 0 {
		return fmt.Sprintf("%d of %d bytes", one.Received, one.Total)
	}
	return fmt.Sprintf("%d bytes so far", one.Received)
}

// hand reports whether a download was not handed on yet, and notes that it is.
func (r *running) hand(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handed[id] {
		return false
	}
	if r.handed == nil {
		r.handed = map[string]bool{}
	}
	r.handed[id] = true
	return true
}

// handOn moves a file to the folder of the conversation, under a name that is
// free there.
func (d *deed) handOn(ctx context.Context, one browser.Download) (string, error) {
	dir, err := d.h.Folder(d.call)
	if err != nil {
		return "", err
	}
	ext := filepath.Ext(one.Name)
	for i := range 1000 {
		name := one.Name
		if i > 0 {
			name = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(one.Name, ext), i, ext)
		}
		to := filepath.Join(dir, name)
		f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("browser: keeping a download: %w", err)
		}
		if err := errors.Join(copyInto(ctx, f, one.Path), f.Close()); err != nil {
			return "", errors.Join(fmt.Errorf("browser: keeping a download: %w", err), os.Remove(to))
		}
		return to, os.Remove(one.Path)
	}
	return "", fmt.Errorf("browser: a thousand files are called %s", one.Name)
}

// copyInto copies a file, until ctx ends.
func copyInto(ctx context.Context, to io.Writer, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	_, err = io.Copy(to, readerWith{ctx, f})
	return err
}

// readerWith reads until its context ends.
type readerWith struct {
	ctx context.Context //nolint:containedctx // it lives for one copy
	r   io.Reader
}

// Read implements [io.Reader].
func (r readerWith) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
