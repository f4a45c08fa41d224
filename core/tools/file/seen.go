package file

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"sync"
	"time"
)

// A mark says what a file was like when it was last looked at.
type mark struct {
	size int64
	time time.Time
	sum  string // SHA-256 in hex; empty when it was not read whole
}

// fits reports whether a file still is what m says.
func (m mark) fits(info fs.FileInfo, sum string) bool {
	if m.sum != "" {
		return m.sum == sum
	}
	return info != nil && m.size == info.Size() && m.time.Equal(info.ModTime())
}

// A memory remembers marks. It forgets the oldest when there are too many.
type memory struct {
	mu    sync.Mutex
	marks map[string]mark
	order []string
}

const maxMarks = 4096

// readKey names a file as a session read it; askKey a file as the person who
// was asked about a call saw it.
func readKey(session, abs string) string { return "read\x00" + session + "\x00" + abs }
func askKey(session, call string) string { return "ask\x00" + session + "\x00" + call }

func (m *memory) put(key string, k mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.marks == nil {
		m.marks = map[string]mark{}
	}
	if _, ok := m.marks[key]; !ok {
		m.order = append(m.order, key)
	}
	m.marks[key] = k
	if len(m.order) > maxMarks {
		delete(m.marks, m.order[0])
		m.order = m.order[1:]
	}
}

func (m *memory) get(key string) (mark, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.marks[key]
	return k, ok
}

// sumOf is the SHA-256 of data in hex.
func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
