package browser

import (
	"context"
	"errors"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
)

const (
	// pingTime is how often a browser is asked whether it lives, and how long it
	// may owe the answer: so one that hangs is noticed within two seconds.
	pingTime = time.Second
	// busyTime is how long one may owe it that still computes: on a machine that is
	// busy itself, it is slow and does not hang.
	busyTime = 15 * time.Second
	// restTime is how often it is looked at whether the browser is still needed and
	// how large it is.
	restTime = 30 * time.Second
	// keepTime is how often cookies are saved while the browser is used.
	keepTime = 2 * time.Second
)

// watch sees an instance to its end: it ends one that hangs, that is not used, or
// that has grown too large.
func (b *Browser) watch(in *instance) {
	ping, keep := time.NewTicker(pingTime), time.NewTicker(keepTime)
	defer ping.Stop()
	defer keep.Stop()
	rest := time.NewTicker(min(restTime, b.opts.Idle/4+time.Millisecond))
	defer rest.Stop()
	for {
		select {
		case <-in.conn.Done():
			b.died(in)
			return
		case <-in.finished:
			return
		case <-b.ctx.Done():
			<-in.finished // Close ends it
			return
		case <-ping.C:
			if !in.lives(b.ctx) {
				in.hung.Store(true)
				b.died(in)
				return
			}
		case <-keep.C:
			if b.usedSince(keepTime + time.Second) {
				in.keepCookies(b.ctx)
			}
		case <-rest.C:
			if why := b.done(in); why != "" && b.retire(in, why) {
				return
			}
		}
	}
}

// A pulse is what can be seen of a process from outside.
type pulse struct {
	stands bool   // somebody has stopped it
	works  bool   // it computes or waits for the disk
	ticks  string // what it has computed so far
}

// lives asks the browser for a sign of life. One that was stopped is given up at
// once, one that only waits after a second look, and one that works later: on a
// machine that is busy itself it is slow, and does not hang.
func (in *instance) lives(ctx context.Context) bool {
	before := in.pulse()
	deadline := time.Now().Add(busyTime)
	for idle := 0; idle < 2 && time.Now().Before(deadline); {
		short, cancel := context.WithTimeout(ctx, pingTime)
		err := in.root.Call(short, "Browser.getVersion", nil, nil)
		cancel()
		if err == nil || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return true // or it is gone, which is noticed otherwise
		}
		now := in.pulse()
		switch {
		case now.stands:
			return false
		case now.works || now.ticks != before.ticks:
			idle = 0
		default:
			idle++
		}
		before = now
	}
	return false
}

// died takes in the end of an instance that was not asked for, and returns when
// nothing of it is left. Its tabs stay, and come back with the next use. Only the
// first call notes it.
func (b *Browser) died(in *instance) {
	if in.leaving.Load() {
		<-in.finished // somebody ends it, and it was asked for
		return
	}
	in.mourn.Do(func() {
		why := "the browser ended by itself or was killed"
		switch {
		case in.hung.Load():
			why = "the browser hung and was ended"
		case in.proc == nil:
			why = "the connection to the person's own browser ended"
		}
		b.log.Warn(why)
		b.failed()
		b.mu.Lock()
		b.notes.lastEnd = why
		b.notes.add(Note{Kind: NoteRestart, Text: why + "; it starts anew with the next use, with its tabs"})
		b.mu.Unlock()
	})
	_ = in.end(context.WithoutCancel(b.ctx), false) // what could not be removed is found at the next start
	b.letGo(in)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live == in {
		b.live = nil
	}
}

// usedSince reports whether the browser is used, or was within d.
func (b *Browser) usedSince(d time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.uses > 0 || time.Since(b.used) < d
}

// done says why a browser that rests should end; empty when it should not.
func (b *Browser) done(in *instance) string {
	b.mu.Lock()
	rests, since := b.uses == 0, time.Since(b.used)
	b.mu.Unlock()
	switch {
	case !rests || in.proc == nil:
		return ""
	case since >= b.opts.Idle:
		return "it was not used for a while"
	case memory(in.proc.PID()) > b.opts.MaxMemory:
		return "it had grown large"
	}
	return ""
}

// retire closes a browser that rests, unless it is wanted at this very moment.
func (b *Browser) retire(in *instance, why string) bool {
	select {
	case b.starting <- struct{}{}:
	default:
		return false
	}
	defer func() { <-b.starting }()
	b.mu.Lock()
	if b.uses > 0 || b.live != in {
		b.mu.Unlock()
		return false
	}
	b.live = nil
	b.mu.Unlock()
	b.log.Info("the browser is closed", "why", why)
	if err := in.end(context.WithoutCancel(b.ctx), true); err != nil {
		b.log.Warn("closing the browser", "err", err)
	}
	return true
}

// restore brings the tabs back that a browser had at its end. What cannot be
// brought back now is tried again when the tab is used.
func (b *Browser) restore(ctx context.Context, in *instance) {
	if in.proc == nil {
		return
	}
	b.mu.Lock()
	tabs := append([]*Tab{}, b.tabs...)
	b.mu.Unlock()
	for _, t := range tabs {
		if _, err := b.revive(ctx, in, t); err != nil {
			b.log.Warn("a tab could not be brought back", "tab", t.id, "err", err)
		}
	}
}

// revive gives a tab a page in a browser that has started anew, and takes it to
// where it was.
func (b *Browser) revive(ctx context.Context, in *instance, t *Tab) (*view, error) {
	if in.proc == nil {
		return nil, TabGone.Becausef("the tab %s was one of the person's own browser, and the connection ended", t.id)
	}
	v, err := in.blank(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	url := t.url
	t.view = v
	t.mu.Unlock()
	v.belong(t)
	if url == "" || url == blankURL {
		return v, nil
	}
	if url, err = b.mayOpen(ctx, url); err == nil {
		err = v.navigate(ctx, url)
	}
	if err == nil {
		_, err = v.within(ctx, loadTime, func() bool { return v.marks.content || v.dialog != nil })
	}
	if err != nil && errors.Is(err, cdp.ErrClosed) {
		return nil, b.explain(in, err)
	}
	if err != nil {
		b.log.Info("a tab was not brought back to its page", "tab", t.id, "err", err)
		t.remember(url, "")
	}
	return v, nil
}
