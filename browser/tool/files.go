package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/cdp"
	"github.com/hobkin/hobkin/browser/page"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// upload gives files to a page: to the field for files itself, or to the dialog
// that a click on anything else opens.
func (d *deed) upload(ctx context.Context) error {
	d.took(d.tab)
	p := d.r.page(d.tab)
	about, err := p.AboutField(ctx, d.in.Ref)
	if err != nil {
		return err
	}
	files, err := d.copies(ctx)
	if err != nil {
		return err
	}
	var e *browser.Effect
	if about.Tag == "input" && about.Type == "file" {
		e, err = d.tab.Settle(ctx, func(ctx context.Context) error {
			return p.Control(ctx, d.in.Ref, func(s *cdp.Session, id string) error {
				return browser.SetFiles(ctx, s, map[string]any{"objectId": id}, files)
			})
		})
	} else {
		e, err = d.tab.Upload(ctx, files, func(ctx context.Context) error {
			_, err := p.Act(ctx, page.Act{Kind: "click", Ref: d.in.Ref})
			return err
		})
	}
	if err != nil {
		return err
	}
	d.out.said = "Gave " + count(len(files), "file") + " to " + about.String() + "."
	d.effect(e)
	return d.look(ctx)
}

// mostUpload is how much one call uploads.
const mostUpload = 1 << 30

// copies makes copies of the files of a call, which the browser reads whenever
// the page wants it to: the files themselves were judged now, and could be
// swapped for others until then.
func (d *deed) copies(ctx context.Context) ([]string, error) {
	dir, err := os.MkdirTemp(d.r.arrivals, "up-")
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	left := int64(mostUpload)
	var out []string
	for i, path := range d.in.Paths {
		to := filepath.Join(dir, strconv.Itoa(i), filepath.Base(path)) // the page sees its name
		n, err := d.h.copy(ctx, d.call.Turn, path, to, left)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		left -= n
		out = append(out, to)
	}
	return out, nil
}

// copy copies a file that the turn may read.
func (h *Host) copy(ctx context.Context, turn capability.Turn, path, to string, most int64) (n int64, err error) {
	place, err := h.Policy.Place(turn, path, sandbox.Read)
	if err != nil {
		return 0, err
	}
	defer func() { _ = place.Close() }() // a handle to read
	info, err := place.Root.Lstat(place.Name)
	switch {
	case err != nil:
		return 0, browser.BadFile.Becausef("the file %s is not there", path)
	case !info.Mode().IsRegular():
		return 0, browser.BadFile.Becausef("%s is no file", path)
	case info.Size() > most:
		return 0, tooMuch.Becausef("the files have more than 1 GiB together")
	}
	f, err := place.Open(place.Name)
	if err != nil {
		return 0, browser.BadFile.Becausef("%s cannot be read: %v", path, err)
	}
	defer func() { _ = f.Close() }() // only read
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return 0, fmt.Errorf("browser: %w", err)
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("browser: %w", err)
	}
	n, err = io.Copy(out, io.LimitReader(readerWith{ctx, f}, most))
	return n, errors.Join(err, out.Close())
}

// downloadTime is how long a download may take before the call returns; it goes
// on, and later calls tell of it.
const downloadTime = 60 * time.Second

// beginTime is how long a page may take to hand a file out once it was clicked:
// it may have to make it first.
const beginTime = 3 * time.Second

// download opens an address, or clicks something, that hands a file out, and
// waits for it.
func (d *deed) download(ctx context.Context) error {
	d.took(d.tab)
	before := map[string]bool{}
	for _, one := range d.r.Downloads() {
		before[one.ID] = true
	}
	if err := d.beginDownload(ctx); err != nil {
		return err
	}
	wait := beginTime
	if d.in.URL != "" { // a server's answer is a file or none
		wait = time.Millisecond
	}
	soon, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	one := d.r.AwaitNext(soon, before)
	if one == nil {
		return errors.Join(ctx.Err(), noDownload.Becausef("nothing was downloaded"))
	}
	return d.arrive(ctx, one)
}

// arrive waits for the end of a download.
func (d *deed) arrive(ctx context.Context, one *browser.Download) error {
	d.call.Progress("Downloading " + one.Name)
	short, cancel := context.WithTimeout(ctx, d.in.timeout(downloadTime))
	defer cancel()
	got, err := d.r.AwaitDownload(short, one.ID)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && short.Err() != nil:
		d.out.said = "The download of " + got.Name + " goes on; a later call tells when it is there."
	case err != nil:
		return err
	case got.State == browser.Failed:
		return noDownload.Becausef("the download of %s failed: %s", got.Name, got.Error)
	default:
		d.out.said = "The file is there."
	}
	return nil
}

func (d *deed) beginDownload(ctx context.Context) error {
	if d.in.URL != "" {
		a, err := d.tab.Navigate(ctx, whole(d.in.URL))
		if err == nil && a.Download == nil {
			d.out.notes = append(d.out.notes, "the address is that of a page, which is shown now")
		}
		return err
	}
	_, err := d.tab.Settle(ctx, func(ctx context.Context) error {
		_, err := d.r.page(d.tab).Act(ctx, page.Act{Kind: "click", Ref: d.in.Ref, Timeout: d.in.timeout(0)})
		return err
	})
	return err
}
