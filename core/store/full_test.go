package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/store"
)

// On any system: the database may not grow.
func TestDatabaseFull(t *testing.T) {
	s := open(t, t.TempDir())
	x := session(t, s, "t")
	s.Exec(t, "PRAGMA max_page_count = 100")
	var err error
	n := 0
	for ; err == nil && n < 200; n++ {
		err = s.AppendMessage(t.Context(), x.ID, "t", say(strings.Repeat("word ", 1000)))
	}
	if !errors.Is(err, store.ErrDiskFull) || !strings.HasSuffix(err.Error(), "the disk is full: free some space and try again") {
		t.Errorf("error %v, want ErrDiskFull", err)
	}
	if list, _, err := s.Messages(t.Context(), x.ID); err != nil || len(list) != n-1 {
		t.Errorf("%d messages of %d, %v", len(list), n-1, err)
	}
}
