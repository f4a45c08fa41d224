package capability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
)

// A Reference names a capability whose code comes from elsewhere, with
// configuration that is first known at run time. Where nothing has that id it
// is kept, and does nothing until something provides it.
//
//	capability.Ref("vendor.search").Config(map[string]any{"index": "docs"})
//
// Its configuration is never printed or logged. It is no place for secrets all
// the same: the program that takes it may store it.
type Reference struct {
	id     string
	config func() any // a function, for not even the printing of a struct around it shows what it returns
}

// Ref begins a reference.
func Ref(id string) Reference { return Reference{id: id} }

// Config sets the configuration: a value that marshals to a JSON object, or
// one written as JSON in bytes or a [json.RawMessage].
func (r Reference) Config(object any) Reference {
	if raw, ok := object.([]byte); ok {
		object = json.RawMessage(bytes.Clone(raw))
	}
	r.config = func() any { return object }
	return r
}

// ID is the id that is referred to.
func (r Reference) ID() string { return r.id }

// Settings is the configuration as JSON, {} without one, for whoever provides
// the capability.
func (r Reference) Settings() (json.RawMessage, error) {
	if r.config == nil {
		return json.RawMessage("{}"), nil
	}
	raw, err := object(r.config())
	if err == nil && raw == nil {
		err = errors.New("is nothing")
	}
	return raw, err
}

// Check reports what is wrong with the reference itself, as an [InvalidError].
func (r Reference) Check() error {
	var faults faults
	faults.add(checkID(r.id))
	if _, err := r.Settings(); err != nil {
		faults.add(invalid(r.id, ConfigNoObject, "the configuration %v", err))
	}
	return faults.err()
}

// String names the reference without its configuration.
func (r Reference) String() string {
	if r.config == nil {
		return "capability " + r.id
	}
	return "capability " + r.id + " (configured)"
}

// Format prints the reference without its configuration, whatever the verb.
func (r Reference) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, r.String()) }

// LogValue logs the reference without its configuration.
func (r Reference) LogValue() slog.Value { return slog.StringValue(r.String()) }

// MarshalJSON writes the id alone.
func (r Reference) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]string{"id": r.id}) }

// object is v as a JSON object; nil for nil. The errors do not show v.
func object(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	raw, err := encodeAny(v)
	if err != nil {
		return nil, fmt.Errorf("cannot be written as JSON: %T", v)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, errors.New("is not a JSON object")
	}
	return raw, nil
}

// faults collects what is wrong, each thing once and in a steady order.
type faults []*InvalidError

func (f *faults) add(e *InvalidError) {
	if e != nil {
		*f = append(*f, e)
	}
}

func (f *faults) err() error {
	slices.SortStableFunc(*f, func(a, b *InvalidError) int { return strings.Compare(a.Error(), b.Error()) })
	errs := make([]error, len(*f))
	for i, e := range *f {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// A Part is what an agent can be built of: a [Definition], a [Reference], or a
// type of a third party that stands for one of them.
type Part interface{ Part() Spec }

// A Spec is one part of an agent: exactly one of its fields is set.
type Spec struct {
	Definition *Definition
	Reference  *Reference
}

// Part implements [Part].
func (d Definition) Part() Spec { return Spec{Definition: &d} }

// Part implements [Part].
func (r Reference) Part() Spec { return Spec{Reference: &r} }
