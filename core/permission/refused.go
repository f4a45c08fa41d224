package permission

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

// A Refused is something that was stopped without anyone being asked: a call
// that the floor forbids, or an attempt of the agent's to answer for its owner.
type Refused struct {
	At     time.Time `json:"at"` // the last time
	Count  int       `json:"count"`
	What   string    `json:"what"`   // the tool, or the request
	Reason string    `json:"reason"` // a sentence
}

// Bounds of a RefusalLog.
const (
	refusedFor  = 7 * 24 * time.Hour
	refusedMost = 100
	refusedFile = 256 << 10 // bytes read of the file
)

// A RefusalLog keeps what was refused in the last week, in a file of its own.
// Like refusals are one entry, so that it stays small however stubborn a model
// is. Its fields are set before the first use; no Path keeps nothing beyond the program.
type RefusalLog struct {
	Path   string
	Redact func(string) string // hides secrets; may be nil

	mu     sync.Mutex
	loaded bool
	rows   []Refused // the latest first
}

// Add takes in a refusal. What cannot be written is logged: the log is a help.
func (l *RefusalLog) Add(what, reason string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	if l.Redact != nil {
		what, reason = l.Redact(what), l.Redact(reason)
	}
	one := Refused{At: time.Now(), Count: 1, What: capability.CutText(what, 200), Reason: capability.CutText(reason, 1000)}
	same := func(o Refused) bool { return o.What == one.What && o.Reason == one.Reason }
	if i := slices.IndexFunc(l.rows, same); i >= 0 {
		one.Count += l.rows[i].Count
		l.rows = slices.Delete(l.rows, i, i+1)
	}
	l.rows = slices.Insert(l.rows, 0, one)
	l.forget()
	if err := l.save(); err != nil {
		slog.Warn("permission: keeping a refusal", "error", err)
	}
}

// List returns the refusals of the last week, the latest first.
func (l *RefusalLog) List() []Refused {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	l.forget()
	return slices.Clone(l.rows)
}

// load reads the file once. Lines that cannot be read are passed over.
func (l *RefusalLog) load() {
	if l.loaded || l.Path == "" {
		return
	}
	l.loaded = true
	f, err := os.Open(l.Path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			slog.Warn("permission: reading the refusals", "error", err)
		}
		return
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, refusedFile)
	for lines.Scan() && len(l.rows) < refusedMost {
		var one Refused
		if json.Unmarshal(lines.Bytes(), &one) == nil && one.Reason != "" && one.Count > 0 {
			l.rows = append(l.rows, one)
		}
	}
}

func (l *RefusalLog) forget() {
	old := time.Now().Add(-refusedFor)
	l.rows = slices.DeleteFunc(l.rows, func(r Refused) bool { return r.At.Before(old) })
	l.rows = l.rows[:min(len(l.rows), refusedMost)]
}

// save writes the file anew, so that it is whole at every instant.
func (l *RefusalLog) save() error {
	if l.Path == "" {
		return nil
	}
	var out []byte
	for _, r := range l.rows {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("permission: a refusal: %w", err)
		}
		out = append(append(out, line...), '\n')
	}
	f, err := os.CreateTemp(filepath.Dir(l.Path), ".refused-*") // made readable for the owner alone
	if err != nil {
		return err
	}
	_, err = f.Write(out)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), l.Path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error tells
	}
	return err
}
