package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/netguard"
)

// Options say what a browser is and where it keeps things.
type Options struct {
	// Profiles is the folder of all profiles, absolute. Profile is the one of this
	// browser; empty is a temporary one, which is gone with the browser.
	Profiles, Profile string

	Path      string // of the program; empty looks for one, see [chromium.Find]
	Window    bool   // shows a window
	NoSandbox bool   // the owner gives up the sandbox of the pages

	// Attach is the DevTools address of the person's own browser, host:port on
	// this machine, such as "127.0.0.1:9222". Nothing is started then, and the
	// guard does not stand between that browser and the network.
	Attach string

	Guard     *netguard.Guard // judges every connection; needed
	Downloads string          // the folder where downloads land, absolute; empty refuses them

	Width, Height int // of pages where no window is shown, in CSS pixels; 0 is 1280 and 800

	MaxTabs   int           // 0 is 10
	Idle      time.Duration // unused for so long, the browser is closed; 0 is 10 min
	MaxMemory int64         // bytes; with more the browser is started anew when it rests; 0 is 1.5 GB
	Navigate  time.Duration // the time that a server may take to answer; 0 is 30 s

	Log *slog.Logger // nil is the default
}

// A Browser is one profile's browser. It starts with the first use, and again
// after it was killed, hung, or closed for want of use, with its tabs as they
// were. It is safe for concurrent use. Make one with [New], end it with
// [Browser.Close].
type Browser struct {
	opts Options
	log  *slog.Logger

	starting chan struct{} // holds one: who starts or stops the browser
	work     sync.WaitGroup
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc

	mu       sync.Mutex
	live     *instance // nil while no browser runs
	tabs     []*Tab    // in the order of their opening
	active   *Tab
	lastTab  int
	uses     int       // calls under way
	used     time.Time // when the last one ended
	failures []time.Time
	notes    notes // what happened, for who asks
}

// New makes a browser that is not started yet.
func New(o Options) *Browser {
	o.MaxTabs = cmp.Or(max(o.MaxTabs, 0), 10)
	o.Width, o.Height = cmp.Or(max(o.Width, 0), viewWidth), cmp.Or(max(o.Height, 0), viewHeight)
	o.Idle = cmp.Or(o.Idle, 10*time.Minute)
	o.MaxMemory = cmp.Or(o.MaxMemory, 1500<<20)
	o.Navigate = cmp.Or(o.Navigate, 30*time.Second)
	o.Log = cmp.Or(o.Log, slog.Default())
	ctx, cancel := context.WithCancel(context.Background())
	return &Browser{opts: o, log: o.Log.With("profile", o.name()), starting: make(chan struct{}, 1), ctx: ctx, cancel: cancel, used: time.Now()}
}

// name is how the profile is spoken of.
func (o Options) name() string {
	if o.Attach != "" {
		return "attached"
	}
	return cmp.Or(o.Profile, "temporary")
}

// Attached reports whether this is the person's own browser.
func (b *Browser) Attached() bool { return b.opts.Attach != "" }

// Start starts the browser if it does not run.
func (b *Browser) Start(ctx context.Context) error {
	_, done, err := b.use(ctx)
	if err == nil {
		done()
	}
	return err
}

// use makes sure that the browser runs, and that it is not closed for want of
// use before done is called.
func (b *Browser) use(ctx context.Context) (in *instance, done func(), err error) {
	b.mu.Lock()
	b.uses++
	b.mu.Unlock()
	done = sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.uses--
		b.used = time.Now()
	})
	if in, err = b.running(ctx); err != nil {
		done()
		return nil, nil, err
	}
	return in, done, nil
}

// running returns the instance, started if need be.
func (b *Browser) running(ctx context.Context) (*instance, error) {
	if in := b.instance(); in != nil {
		return in, nil
	}
	select {
	case b.starting <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-b.starting }()
	if in := b.instance(); in != nil {
		return in, nil
	}
	b.mu.Lock()
	old := b.live
	b.mu.Unlock()
	if old != nil {
		b.died(old) //nolint:contextcheck // its profile must be free, whatever becomes of this call
	}
	if err := b.mayStart(); err != nil {
		return nil, err
	}
	in, err := b.start(ctx)
	if err != nil {
		if ctx.Err() == nil {
			b.failed()
		}
		return nil, err
	}
	b.mu.Lock()
	if b.ctx.Err() != nil {
		b.mu.Unlock()
		return nil, errors.Join(Stopped.Becausef("the browser is being closed"), in.end(context.WithoutCancel(ctx), false))
	}
	b.live = in
	b.mu.Unlock()
	b.work.Go(func() { b.watch(in) }) //nolint:contextcheck // it ends with the instance
	b.restore(ctx, in)
	return in, nil
}

// instance is the one that runs; nil if none does.
func (b *Browser) instance() *instance {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live != nil && b.live.ended() {
		return nil
	}
	return b.live
}

// Stop closes the browser, politely. Its tabs are remembered, and come back when
// it is used again. It is no error if none runs.
func (b *Browser) Stop(ctx context.Context) error {
	select {
	case b.starting <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-b.starting }()
	b.mu.Lock()
	in := b.live
	b.live = nil
	b.mu.Unlock()
	if in == nil {
		return nil
	}
	defer b.letGo(in)
	return in.end(ctx, true)
}

// Close ends the browser for good, and returns when nothing of it is left.
func (b *Browser) Close(ctx context.Context) error {
	b.mu.Lock()
	b.cancel()
	b.mu.Unlock()
	err := b.Stop(ctx)
	b.work.Wait()
	return err
}

// A Status says how a browser is.
type Status struct {
	Running  bool
	Attached bool
	Profile  string
	Product  string // such as "Chrome/156.0.8078.114"; empty while it does not run
	Path     string // of the program
	PID      int
	Shell    bool // a headless shell
	Window   bool
	Sandbox  string // in a sentence
	Memory   int64  // bytes of all its processes; 0 where that is not known
	Starts   int    // how often it was started
	LastEnd  string // why it last ended by itself, in a sentence; empty if it never did
	Tabs     []TabInfo
}

// Status says how the browser is. It starts nothing.
func (b *Browser) Status() Status {
	b.mu.Lock()
	s := Status{Attached: b.Attached(), Profile: b.opts.name(), Window: b.opts.Window, Starts: b.notes.starts, LastEnd: b.notes.lastEnd}
	in := b.live
	b.mu.Unlock()
	s.Tabs = b.Tabs()
	if in == nil || in.ended() {
		return s
	}
	s.Running, s.Product = true, in.product
	if in.proc != nil {
		o := in.proc.Options()
		s.Path, s.PID, s.Shell, s.Sandbox, s.Memory = o.Binary.Path, in.proc.PID(), o.Binary.Shell, o.Sandbox(), memory(in.proc.PID())
	}
	return s
}

// Tabs lists the open tabs in the order of their opening.
func (b *Browser) Tabs() []TabInfo {
	b.mu.Lock()
	tabs, active := slices.Clone(b.tabs), b.active
	b.mu.Unlock()
	list := make([]TabInfo, 0, len(tabs))
	for _, t := range tabs {
		info := t.Info()
		info.Active = t == active
		list = append(list, info)
	}
	return list
}

// Tab returns an open tab; an empty id is the active one.
func (b *Browser) Tab(id string) (*Tab, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id == "" && b.active != nil {
		return b.active, nil
	}
	for _, t := range b.tabs {
		if t.id == id {
			return t, nil
		}
	}
	why := b.notes.closed[id]
	switch {
	case why != "":
		return nil, TabGone.Becausef("the tab %s is gone: %s", id, why)
	case len(b.tabs) == 0:
		return nil, NoTab.Becausef("no tab is open")
	case id == "":
		return nil, NoTab.Becausef("no tab is active")
	}
	return nil, NoTab.Becausef("there is no tab %q", id)
}

// binary finds the program.
func (b *Browser) binary() (chromium.Binary, error) {
	return chromium.Find(chromium.Search{Path: b.opts.Path, Headless: !b.opts.Window})
}

// failed notes that the browser did not start or died.
func (b *Browser) failed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = append(b.failures, time.Now())
}

const (
	// manyFailures within failureTime make the browser rest for coolTime: one
	// that dies again and again would only eat the machine.
	manyFailures = 4
	failureTime  = 2 * time.Minute
	coolTime     = 30 * time.Second
)

// mayStart refuses to start a browser that has failed again and again.
func (b *Browser) mayStart() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return Stopped.Becausef("the browser is being closed")
	}
	b.failures = slices.DeleteFunc(b.failures, func(t time.Time) bool { return time.Since(t) > failureTime })
	if len(b.failures) < manyFailures {
		return nil
	}
	wait := coolTime - time.Since(b.failures[len(b.failures)-1])
	if wait <= 0 {
		return nil
	}
	return CoolingDown.Becausef("the browser failed %d times within %v; it is started again in %v at the earliest", len(b.failures), failureTime, wait.Round(time.Second)).
		Trying(fmt.Sprintf("wait %v; hobkin doctor tells what is wrong", wait.Round(time.Second)))
}
