package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hobkin/hobkin/browser/cdp"
)

// A Download is a file that a page hands out.
type Download struct {
	ID       string // the browser's
	Tab      string // id of the tab; empty if it is gone
	URL      string
	Name     string // the file's, as the page suggests it, made harmless
	Path     string // where it lies once it is done
	Received int64  // bytes
	Total    int64  // bytes; 0 if not known
	State    DownloadState
	Error    string // why it failed

	began time.Time
}

// A DownloadState says how far a download is.
type DownloadState string

// The states of a download.
const (
	Downloading DownloadState = "in progress"
	Completed   DownloadState = "completed"
	Failed      DownloadState = "failed"
)

const (
	keepDownloads = 100
	maxDownload   = 4 << 30 // bytes of one file
)

// downloads is what one run of the browser downloads.
type downloads struct {
	mu      sync.Mutex
	list    []*Download
	changed chan struct{}
	moving  sync.WaitGroup
}

// downloadBehaviour lets downloads land under a name of the browser's own, from
// which they are moved when they are whole.
func (in *instance) downloadBehaviour() map[string]any {
	if in.b.opts.Downloads == "" {
		return map[string]any{"behavior": "deny", "eventsEnabled": true}
	}
	return map[string]any{"behavior": "allowAndName", "downloadPath": in.b.opts.Downloads, "eventsEnabled": true}
}

func (in *instance) watchDownloads() {
	in.downloads.changed = make(chan struct{})
	cdp.On(in.root, "Browser.downloadWillBegin", func(e struct {
		FrameID string `json:"frameId"`
		GUID    string `json:"guid"`
		URL     string `json:"url"`
		Name    string `json:"suggestedFilename"`
	},
	) {
		in.downloadBegins(&Download{ID: e.GUID, URL: clip(e.URL, maxMessage), Name: fileName(e.Name), State: Downloading, began: time.Now()}, e.FrameID)
	})
	cdp.On(in.root, "Browser.downloadProgress", func(e struct {
		GUID     string  `json:"guid"`
		Total    float64 `json:"totalBytes"`
		Received float64 `json:"receivedBytes"`
		State    string  `json:"state"`
	},
	) {
		in.downloadGoesOn(e.GUID, int64(e.Received), int64(e.Total), e.State)
	})
}

func (in *instance) downloadBegins(d *Download, frame string) {
	if in.proc == nil && in.viewOf(frame) == nil {
		return // the person's own, of a tab that is not ours
	}
	if v := in.viewOf(frame); v != nil {
		if t := v.owner(); t != nil {
			d.Tab = t.id
		}
	}
	text := "begins: " + d.Name
	if in.proc != nil && in.b.opts.Downloads == "" {
		text = "refused: there is no folder for " + d.Name
	}
	in.downloads.mu.Lock()
	in.downloads.list = append(in.downloads.list, d)
	if len(in.downloads.list) > keepDownloads {
		in.downloads.list = in.downloads.list[1:]
	}
	in.downloads.tellLocked(in.b, d, text)
	in.downloads.mu.Unlock()
	if v := in.viewOf(frame); v != nil {
		v.update(func() { v.moves.under = false }) // the page stays
	}
}

// viewOf is the view that shows a frame.
func (in *instance) viewOf(frame string) *view {
	in.mu.Lock()
	defer in.mu.Unlock()
	if v := in.views[frame]; v != nil {
		return v
	}
	for _, v := range in.views {
		v.mu.Lock()
		_, has := v.frames[frame]
		v.mu.Unlock()
		if has {
			return v
		}
	}
	return nil
}

// tellLocked notes what became of a download and then wakes those who wait: who
// hears of the change finds the note. The caller holds mu.
func (l *downloads) tellLocked(b *Browser, d *Download, text string) {
	b.note(Note{Kind: NoteDownload, Tab: d.Tab, Text: text})
	l.wakeLocked()
}

// wakeLocked wakes those who wait. The caller holds mu.
func (l *downloads) wakeLocked() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// wait waits until files that are whole have their names.
func (l *downloads) wait() { l.moving.Wait() }

func (in *instance) downloadGoesOn(id string, received, total int64, state string) {
	in.downloads.mu.Lock()
	defer in.downloads.mu.Unlock()
	d := in.downloads.find(id)
	if d == nil || d.State != Downloading {
		return
	}
	d.Received, d.Total = received, total
	switch state {
	case "completed":
		if in.proc == nil { // the person's own browser puts it where the person wants
			d.State = Completed
			break
		}
		in.downloads.moving.Go(func() { in.landed(d) }) // ends when the file has its name
		return
	case "canceled":
		d.State, d.Error = Failed, "the browser or the page gave it up"
		if in.b.opts.Downloads != "" && in.proc != nil {
			_ = os.Remove(filepath.Join(in.b.opts.Downloads, filepath.Base(d.ID))) // most often there is none
		}
		in.downloads.tellLocked(in.b, d, failure(d))
		return
	default:
		if received > maxDownload {
			in.root.Post("Browser.cancelDownload", map[string]any{"guid": id})
		}
	}
	in.downloads.wakeLocked()
}

func failure(d *Download) string { return "failed: " + d.Name + ": " + d.Error }

// landed gives a whole file its name: the suggested one, or the next that is
// free.
func (in *instance) landed(d *Download) {
	path, err := claim(filepath.Join(in.b.opts.Downloads, filepath.Base(d.ID)), in.b.opts.Downloads, d.Name)
	in.downloads.mu.Lock()
	defer in.downloads.mu.Unlock()
	d.State, d.Path = Completed, path
	text := fmt.Sprintf("completed: %s (%d bytes) in %s", d.Name, d.Received, d.Path)
	if err != nil {
		d.State, d.Error = Failed, err.Error()
		text = failure(d)
	}
	in.downloads.tellLocked(in.b, d, text)
}

// claim moves a file to a name in dir that no other file has.
func claim(from, dir, name string) (string, error) {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for i := range 1000 {
		try := name
		if i > 0 {
			try = fmt.Sprintf("%s (%d)%s", stem, i, ext)
		}
		to := filepath.Join(dir, try)
		err := os.Link(from, to) // fails where there is one
		switch {
		case err == nil:
			return to, os.Remove(from)
		case errors.Is(err, os.ErrExist):
			continue
		}
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		return to, os.Rename(from, to) // a file system without links
	}
	return "", fmt.Errorf("a thousand files have the name %s", name)
}

// fileName makes a name that a page suggests harmless: one part, nothing hidden,
// nothing that a system takes for something else.
func fileName(suggested string) string {
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || strings.ContainsRune(`<>:"|?*`, r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(suggested, "_"))
	name = strings.Trim(name, ". ")
	const most = 120
	if r := []rune(name); len(r) > most {
		ext := []rune(filepath.Ext(name))
		if len(ext) > 20 {
			ext = nil
		}
		name = string(r[:most-len(ext)]) + string(ext)
	}
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch {
	case name == "":
		return "download"
	case deviceName(stem):
		return "_" + name
	}
	return name
}

// deviceName reports whether Windows takes a name for a device.
func deviceName(stem string) bool {
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '0' && stem[3] <= '9'
}

func (l *downloads) find(id string) *Download {
	for _, one := range l.list {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// Downloads lists what this run of the browser downloaded, the oldest first.
func (b *Browser) Downloads() (list []Download) {
	in := b.instance()
	if in == nil {
		return nil
	}
	in.downloads.mu.Lock()
	defer in.downloads.mu.Unlock()
	for _, d := range in.downloads.list {
		list = append(list, *d)
	}
	return list
}

// AwaitDownload waits for the end of a download; an empty id is the one that
// began last. It returns what it is when ctx ends, too, with that error.
func (b *Browser) AwaitDownload(ctx context.Context, id string) (Download, error) {
	in, done, err := b.use(ctx)
	if err != nil {
		return Download{}, err
	}
	defer done()
	for {
		in.downloads.mu.Lock()
		d := in.downloads.find(id)
		if n := len(in.downloads.list); id == "" && n > 0 {
			d = in.downloads.list[n-1]
		}
		var now Download
		if d != nil {
			now = *d
		}
		changed := in.downloads.changed
		in.downloads.mu.Unlock()
		if d == nil {
			return now, NavigationFailed.Becausef("there is no download %s", id).Trying("begin one first")
		}
		if now.State != Downloading {
			return now, nil
		}
		select {
		case <-changed:
		case <-in.conn.Done():
			return now, b.explain(in, cdp.ErrClosed)
		case <-ctx.Done():
			return now, context.Cause(ctx)
		}
	}
}

// AwaitNext waits for a download that is not known yet to begin. It is nil when
// none does before ctx ends.
func (b *Browser) AwaitNext(ctx context.Context, known map[string]bool) *Download {
	in, done, err := b.use(ctx)
	if err != nil {
		return nil
	}
	defer done()
	for {
		in.downloads.mu.Lock()
		i := slices.IndexFunc(in.downloads.list, func(d *Download) bool { return !known[d.ID] })
		var found Download
		if i >= 0 {
			found = *in.downloads.list[i]
		}
		changed := in.downloads.changed
		in.downloads.mu.Unlock()
		if i >= 0 {
			return &found
		}
		select {
		case <-changed:
		case <-in.conn.Done():
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// downloadSince waits a moment for the download that a navigation became; nil
// when it became none.
func (in *instance) downloadSince(ctx context.Context, begin time.Time, v *view) *Download {
	ctx, cancel := context.WithTimeout(ctx, tickTime)
	defer cancel()
	for {
		in.downloads.mu.Lock()
		for _, d := range in.downloads.list {
			if t := v.owner(); t != nil && d.Tab == t.id && !d.began.Before(begin) {
				found := *d
				in.downloads.mu.Unlock()
				return &found
			}
		}
		changed := in.downloads.changed
		in.downloads.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
