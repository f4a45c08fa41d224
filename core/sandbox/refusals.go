package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

// A Refusal is a path that was refused, once or many times.
type Refusal struct {
	At    time.Time `json:"at"`              // the last time
	Count int       `json:"count"`           // how often
	Code  string    `json:"code"`            // of the failure: outside_root, protected_path, …
	Path  string    `json:"path"`            // where it led, as far as that is known
	Use   string    `json:"use"`             // read or write
	Text  string    `json:"text"`            // what was said
	Grant string    `json:"grant,omitempty"` // the folder whose grant would let it through; empty when none would
	Fix   string    `json:"fix"`             // what to do about it
}

const (
	keptFor      = 7 * 24 * time.Hour
	keptMost     = 200              // different refusals
	savedAgain   = 10 * time.Minute // a known refusal is written again only after this
	refusalsFile = 512 << 10        // bytes read of the file; it never grows that large by itself
)

// refusals keeps what was refused. One path asked for a thousand times is one
// entry, so that neither memory nor the file grows with a stubborn model.
type refusals struct {
	mu    sync.Mutex
	rows  []Refusal // the latest first
	saved time.Time
	path  string
	hide  func(string) string // secrets in what was asked for
}

func openRefusals(path string, hide func(string) string) *refusals {
	if hide == nil {
		hide = func(text string) string { return text }
	}
	r := &refusals{path: path, hide: hide}
	if path == "" {
		return r
	}
	f, err := os.Open(path)
	if err != nil {
		return r // no refusals yet, or none that can be read: the log is a help, not a need
	}
	defer func() { _ = f.Close() }() // only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, refusalsFile)
	for lines.Scan() && len(r.rows) < keptMost {
		var one Refusal
		if json.Unmarshal(lines.Bytes(), &one) == nil && one.Code != "" {
			r.rows = append(r.rows, one)
		}
	}
	r.forget(time.Now())
	return r
}

func (r *refusals) add(u *capability.UserError, use Use) {
	one := Refusal{At: time.Now(), Count: 1, Code: u.Code, Use: use.String(), Text: capability.CutText(u.Message, 1000), Fix: capability.CutText(u.Try, 1000)}
	one.Path, _ = u.Details["path"].(string)
	one.Grant, _ = u.Details["grant"].(string)
	one.Path, one.Grant, one.Text, one.Fix = r.hide(one.Path), r.hide(one.Grant), r.hide(one.Text), r.hide(one.Fix)
	slog.Info("sandbox: refused a path", "code", one.Code, "path", one.Path, "use", one.Use)
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.IndexFunc(r.rows, func(o Refusal) bool { return o.Code == one.Code && o.Text == one.Text && o.Use == one.Use })
	if known >= 0 {
		one.Count += r.rows[known].Count
		r.rows = slices.Delete(r.rows, known, known+1)
	}
	r.rows = slices.Insert(r.rows, 0, one)
	r.forget(one.At)
	if r.path != "" && (known < 0 || one.At.Sub(r.saved) > savedAgain) {
		r.save(one.At)
	}
}

// forget drops what is older than a week or too much.
func (r *refusals) forget(now time.Time) {
	r.rows = slices.DeleteFunc(r.rows, func(o Refusal) bool { return now.Sub(o.At) > keptFor })
	r.rows = r.rows[:min(len(r.rows), keptMost)]
}

func (r *refusals) save(now time.Time) {
	r.saved = now
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, one := range r.rows {
		if err := enc.Encode(one); err != nil {
			slog.Warn("sandbox: keeping a refusal", "error", err)
			return
		}
	}
	err := os.MkdirAll(filepath.Dir(r.path), 0o700)
	if err == nil {
		err = replace(r.path, b.Bytes())
	}
	if err != nil {
		slog.Warn("sandbox: keeping a refusal", "error", err)
	}
}

// replace writes a file beside path, for its owner alone, and moves it there.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".refusals-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func (r *refusals) list() []Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(time.Now())
	return slices.Clone(r.rows)
}
