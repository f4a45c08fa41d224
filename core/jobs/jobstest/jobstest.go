// Package jobstest makes books of jobs for tests, on a real database.
package jobstest

import (
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/jobs"
	"github.com/hobkin/hobkin/core/store"
)

// Book is an empty book whose clock is now.
func Book(tb testing.TB, now func() time.Time) *jobs.Book {
	tb.Helper()
	db, err := store.Open(tb.Context(), store.Options{Dir: tb.TempDir(), Now: now})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &jobs.Book{Store: db, Clock: now}
}

// Ran adds a run to the history of a job.
func Ran(tb testing.TB, b *jobs.Book, j jobs.Job, r jobs.Run) {
	tb.Helper()
	r.Job = j.ID
	if _, err := b.Store.AddRun(tb.Context(), r); err != nil {
		tb.Fatal(err)
	}
}
