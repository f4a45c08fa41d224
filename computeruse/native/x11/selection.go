package x11

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// A clipboard owns selections for as long as a paste takes, and gives back
// what was in them. In X the owner of a selection is the program that has its
// content, so from then on that is we.
type clipboard struct {
	c   *conn
	win xproto.Window

	mu      sync.Mutex
	offers  map[xproto.Atom]*offer // by selection: what we own
	answers chan xproto.SelectionNotifyEvent
	stamps  chan xproto.Timestamp
	chunks  chan struct{} // a property of our window was written
	sending map[sendKey]content
}

// An offer is the content of a selection, by target.
type offer struct {
	data  map[string]content
	when  xproto.Timestamp
	taken chan xproto.Window // who asked for the content
}

// A content is some bytes with the type and format of their property.
type content struct {
	kind   string
	format byte
	raw    []byte
}

// A sendKey is where a large content goes, a part at a time.
type sendKey struct {
	to   xproto.Window
	prop xproto.Atom
}

func newClipboard(ctx context.Context, display string) (*clipboard, error) {
	b := &clipboard{
		offers: map[xproto.Atom]*offer{}, sending: map[sendKey]content{},
		answers: make(chan xproto.SelectionNotifyEvent, 16), stamps: make(chan xproto.Timestamp, 16), chunks: make(chan struct{}, 1),
	}
	ready := make(chan struct{})
	c, err := dial(ctx, display, func(e xgb.Event) { <-ready; b.event(e) })
	if err != nil {
		return nil, err
	}
	b.c = c
	if b.win, err = xproto.NewWindowId(c.Conn); err == nil {
		err = xproto.CreateWindowChecked(c.Conn, 0, b.win, c.root, -1, -1, 1, 1, 0, xproto.WindowClassInputOnly, 0,
			xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{1, xproto.EventMaskPropertyChange}).Check()
	}
	close(ready)
	if err != nil {
		c.close()
		return nil, err
	}
	return b, nil
}

// event is called by the one goroutine that drains the connection.
func (b *clipboard) event(e xgb.Event) {
	switch e := e.(type) {
	case xproto.SelectionRequestEvent:
		b.serve(e)
	case xproto.SelectionClearEvent:
		b.mu.Lock()
		delete(b.offers, e.Selection)
		b.mu.Unlock()
	case xproto.SelectionNotifyEvent:
		select {
		case b.answers <- e:
		default: // nobody waits for so many
		}
	case xproto.PropertyNotifyEvent:
		b.property(e)
	}
}

func (b *clipboard) property(e xproto.PropertyNotifyEvent) {
	if e.Window != b.win {
		if e.State == xproto.PropertyDelete {
			b.next(sendKey{e.Window, e.Atom})
		}
		return
	}
	if e.State != xproto.PropertyNewValue {
		return
	}
	select {
	case b.stamps <- e.Time:
	default:
	}
	select {
	case b.chunks <- struct{}{}:
	default:
	}
}

// now is the time of the server, which ownership is dated by.
func (b *clipboard) now(ctx context.Context) (xproto.Timestamp, error) {
	for len(b.stamps) > 0 {
		<-b.stamps
	}
	xproto.ChangeProperty(b.c.Conn, xproto.PropModeReplace, b.win, b.c.atoms.of("HOBKIN_TIME"), xproto.AtomInteger, 8, 0, nil)
	select {
	case t := <-b.stamps:
		return t, nil
	case <-b.c.closed:
		return 0, b.c.check(errors.New("closed"))
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// own puts a content into a selection.
func (b *clipboard) own(ctx context.Context, selection xproto.Atom, data map[string]content) (*offer, error) {
	when, err := b.now(ctx)
	if err != nil {
		return nil, err
	}
	o := &offer{data: data, when: when, taken: make(chan xproto.Window, 64)}
	b.mu.Lock()
	b.offers[selection] = o
	b.mu.Unlock()
	xproto.SetSelectionOwner(b.c.Conn, b.win, selection, when)
	r, err := xproto.GetSelectionOwner(b.c.Conn, selection).Reply()
	if err != nil {
		return nil, b.c.check(err)
	}
	if r.Owner != b.win {
		return nil, errors.New("another program took the clipboard")
	}
	return o, nil
}

// disown leaves a selection empty, as it was.
func (b *clipboard) disown(selection xproto.Atom) {
	b.mu.Lock()
	o := b.offers[selection]
	delete(b.offers, selection)
	b.mu.Unlock()
	if o != nil {
		xproto.SetSelectionOwner(b.c.Conn, 0, selection, o.when)
	}
}

// The bounds of reading a selection.
const (
	readTime   = 2 * time.Second        // all of it
	targetTime = 700 * time.Millisecond // a part of it
	maxContent = 64 << 20               // bytes
)

// special are targets that are no content.
var special = []string{
	"TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY",
	"LENGTH", "LIST_LENGTH", "CLASS", "NAME", "CLIENT_WINDOW", "HOST_NAME", "OWNER_OS", "PROCESS", "TASK", "USER", "PIXMAP", "DRAWABLE", "BITMAP", "COLORMAP",
}

// read fetches all that a selection holds; nothing when it is empty. What its
// owner does not give in time is left out.
func (b *clipboard) read(ctx context.Context, selection xproto.Atom) (map[string]content, error) {
	b.mu.Lock()
	ours := b.offers[selection]
	b.mu.Unlock()
	if ours != nil {
		return ours.data, nil
	}
	r, err := xproto.GetSelectionOwner(b.c.Conn, selection).Reply()
	if err != nil || r.Owner == 0 {
		return nil, b.c.check(err)
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	list, err := b.convert(ctx, selection, b.c.atoms.of("TARGETS"))
	if err != nil {
		return nil, nil // an owner that says nothing of its content has none to keep
	}
	data, size := map[string]content{}, 0
	for raw := list.raw; len(raw) >= 4; raw = raw[4:] {
		target := xproto.Atom(xgb.Get32(raw))
		name := b.c.atoms.name(target)
		if slices.Contains(special, name) {
			continue
		}
		got, err := b.convert(ctx, selection, target)
		if err != nil {
			continue
		}
		if size += len(got.raw); size > maxContent {
			break
		}
		data[name] = got
	}
	return data, nil
}

// errNoContent is the error of a target that the owner does not give.
var errNoContent = errors.New("the owner of the clipboard gives nothing")

// convert asks the owner of a selection for one target.
func (b *clipboard) convert(ctx context.Context, selection, target xproto.Atom) (content, error) {
	ctx, cancel := context.WithTimeout(ctx, targetTime)
	defer cancel()
	for len(b.answers) > 0 {
		<-b.answers
	}
	prop := b.c.atoms.of("HOBKIN_CONTENT")
	when, err := b.now(ctx)
	if err != nil {
		return content{}, err
	}
	xproto.DeleteProperty(b.c.Conn, b.win, prop)
	xproto.ConvertSelection(b.c.Conn, b.win, selection, target, prop, when)
	for {
		select {
		case e := <-b.answers:
			if e.Selection != selection || e.Target != target || e.Time != when && e.Time != 0 {
				continue // of an earlier one, which came too late
			}
			if e.Property == 0 {
				return content{}, errNoContent
			}
			return b.fetch(ctx, prop)
		case <-b.c.closed:
			return content{}, b.c.check(errNoContent)
		case <-ctx.Done():
			return content{}, context.Cause(ctx)
		}
	}
}

// fetch takes a content out of a property, in parts if it comes so.
func (b *clipboard) fetch(ctx context.Context, prop xproto.Atom) (content, error) {
	drain(b.chunks)
	got, err := b.take(prop)
	if err != nil || got.kind != "INCR" {
		return got, err
	}
	var all content
	for {
		select {
		case <-b.chunks:
		case <-b.c.closed:
			return content{}, b.c.check(errNoContent)
		case <-ctx.Done():
			return content{}, context.Cause(ctx)
		}
		part, err := b.take(prop)
		switch {
		case err != nil:
			return content{}, err
		case part.kind == "":
			continue // not yet
		case len(part.raw) == 0:
			return all, nil
		case len(all.raw)+len(part.raw) > maxContent:
			return content{}, errNoContent
		}
		all = content{part.kind, part.format, append(all.raw, part.raw...)}
	}
}

// take reads a property of our window and deletes it.
func (b *clipboard) take(prop xproto.Atom) (content, error) {
	r, err := xproto.GetProperty(b.c.Conn, true, b.win, prop, xproto.GetPropertyTypeAny, 0, maxContent/4).Reply()
	if err != nil {
		return content{}, b.c.check(err)
	}
	if r.Type == 0 {
		return content{}, nil
	}
	return content{b.c.atoms.name(r.Type), r.Format, r.Value}, nil
}

func drain(ch chan struct{}) {
	select {
	case <-ch:
	default:
	}
}
