package chromium

import (
	"fmt"
	"io/fs"
	"os"
)

// pipeFlags tells the browser the handles of its pipe.
func pipeFlags(read, write *os.File) []string {
	return []string{fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", read.Fd(), write.Fd())}
}

// ours: the folder for temporary files is a person's own here.
func ours(fs.FileInfo) bool { return true }

// browserLives is not asked: Chromium marks no profile with a link here.
func browserLives(_, _ string) bool { return false }

func smallSharedMemory() bool { return false }

// A janitor is not needed: a profile that a killed agent left is found at the
// next start, and nothing here outlives the job object.
type janitor struct{}

func startJanitor(string) (*janitor, error) { return &janitor{}, nil }

func (*janitor) watch(int) {}

func (*janitor) close() error { return nil }
