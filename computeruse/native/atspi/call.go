package atspi

import (
	"context"
	"time"

	"github.com/godbus/dbus/v5"
)

// An object is one thing on the accessibility bus. Its fields are exported
// because D-Bus decodes into them.
type object struct {
	Bus  string
	Path dbus.ObjectPath
}

// nothing reports whether o stands for no object at all.
func (o object) nothing() bool {
	return o.Bus == "" || !o.Path.IsValid() || o.Path == "/org/a11y/atspi/null"
}

// The interfaces of AT-SPI.
const (
	prefix       = "org.a11y.atspi."
	accessible   = prefix + "Accessible"
	component    = prefix + "Component"
	action       = prefix + "Action"
	text         = prefix + "Text"
	editableText = prefix + "EditableText"
	value        = prefix + "Value"
	selection    = prefix + "Selection"
)

const (
	properties = "org.freedesktop.DBus.Properties"
	rootPath   = "/org/a11y/atspi/accessible/root"
)

// A reader asks one program, or the registry.
type reader struct {
	conn     *dbus.Conn
	patience time.Duration
	program  string // its name, for errors
}

// A question is a call whose answer goes to into. An answer that is missing or
// of another form leaves into as it is, and err says why.
type question struct {
	of     object
	method string
	args   []any
	into   []any
	err    error
}

// ask puts all questions at once and waits for the answers. It returns an error
// only where waiting makes no sense any more: ctx ended, or the program hangs,
// which is that no answer at all comes for as long as the patience lasts.
func (r *reader) ask(ctx context.Context, questions ...*question) error {
	waiting, cancel := context.WithCancel(ctx) // ends what is still asked
	defer cancel()
	calls := make([]*dbus.Call, len(questions))
	for i, q := range questions {
		flags := dbus.FlagNoAutoStart
		if q.of == registry {
			flags = 0 // nobody may have needed it yet
		}
		calls[i] = r.conn.Object(q.of.Bus, q.of.Path).
			GoWithContext(waiting, q.method, flags, make(chan *dbus.Call, 1), q.args...)
	}
	silence := time.NewTimer(r.patience)
	defer silence.Stop()
	for i, call := range calls {
		select {
		case <-call.Done:
			silence.Reset(r.patience)
		case <-silence.C:
			return hung{r.program}
		case <-ctx.Done():
			return ctx.Err()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		questions[i].err = call.Err
		if call.Err == nil && questions[i].into != nil {
			questions[i].err = dbus.Store(call.Body, questions[i].into...)
		}
	}
	return nil
}

// one asks a single question.
func (r *reader) one(ctx context.Context, q question) error {
	if err := r.ask(ctx, &q); err != nil {
		return err
	}
	return q.err
}

// property asks for one property. All at once, by GetAll, is never asked for:
// programs made with Qt 5 crash of it.
func property(of object, iface, name string, into *dbus.Variant) *question {
	return &question{of: of, method: properties + ".Get", args: []any{iface, name}, into: []any{into}}
}

const registryName = "accessibility registry"

// registry is the list of programs.
var registry = object{Bus: prefix + "Registry", Path: rootPath}

// apps returns the programs on the bus.
func (r *reader) apps(ctx context.Context) (apps []object, err error) {
	err = r.one(ctx, question{of: registry, method: accessible + ".GetChildren", into: []any{&apps}})
	return apps, err
}
