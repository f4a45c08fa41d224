package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/hobkin/hobkin/app/crash"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/secret"
)

// Crashes are the crash reports of a program, without what the redactor knows.
func Crashes(program string, redactor *secret.Redactor) crash.Reports {
	r := crash.Reports{Program: program, Hide: redactor.Redact}
	if paths, err := config.DefaultPaths(); err == nil {
		r.Dir = paths.State
	}
	return r
}

// learnSecrets lets the redactor know what it must hide, and makes reports of
// crashes since the last start.
func (c *Core) learnSecrets(ctx context.Context) {
	reports := crash.Reports{Dir: c.opts.Paths.State, Program: "hobkin", Hide: c.redactor.Redact}
	waiting := reports.Waiting()
	if err := c.secrets.Learn(ctx, waiting); err != nil {
		slog.WarnContext(ctx, "app: secrets that cannot be read", "error", err)
	}
	if !waiting {
		return
	}
	fresh, err := reports.Tidy()
	if err != nil {
		slog.WarnContext(ctx, "app: crash reports", "error", err)
	}
	for _, path := range fresh {
		slog.ErrorContext(ctx, "app: Hobkin had ended of a fault of its own", "report", path)
	}
}

// crashShown is how long a crash is news.
const crashShown = 7 * 24 * time.Hour

func (c *Core) checkCrashes(context.Context) control.Check {
	list, err := filepath.Glob(filepath.Join(c.opts.Paths.State, "crash-*.txt"))
	if err != nil {
		return failed(err, "")
	}
	var last string
	n := 0
	for _, path := range list { // by time
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < crashShown {
			last, n = path, n+1
		}
	}
	if n == 0 {
		return passed("none in the last week")
	}
	return warning(fmt.Sprintf("%d in the last week, the last: %s", n, last), "read the report and send it in, or delete it")
}
