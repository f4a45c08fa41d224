// Package login has the system start Hobkin hidden when a person logs in: an
// autostart entry of the desktop on Linux, a launch agent on macOS, a value of
// the registry's Run key on Windows.
//
// The person's desktop may have switches of its own for such entries. One that
// was switched off there stays so until it is switched on in Hobkin's settings
// anew.
package login

import (
	"errors"
	"fmt"
	"path/filepath"
)

// An Item is the entry of one program.
type Item struct {
	program string // absolute
	place   place
}

// Hidden is the flag with which the program is started at login.
const Hidden = "--background"

// A State says what the system will do at the next login.
type State int

// The states.
const (
	Off       State = iota
	On              // it starts the program
	Elsewhere       // it starts another program by this name, such as one that was moved
	Disabled        // the person's desktop has it switched off
)

// New returns the entry of a program, by its absolute path.
func New(program string) (*Item, error) {
	if !filepath.IsAbs(program) {
		return nil, fmt.Errorf("login: %q is no absolute path", program)
	}
	p, err := home()
	if err != nil {
		return nil, fmt.Errorf("login: %w", err)
	}
	return &Item{program: program, place: p}, nil
}

// Keep makes the system agree with a setting that was made before: it corrects an
// entry that leads elsewhere, and leaves one that the desktop has switched off.
func (i *Item) Keep(on bool) error {
	state, err := i.State()
	if err != nil || on && (state == On || state == Disabled) || !on && state == Off {
		return err
	}
	return i.Set(on)
}

// Set carries out a choice that was made now.
func (i *Item) Set(on bool) (err error) {
	if on {
		err = i.place.write(i.program)
	} else {
		err = i.place.remove()
	}
	if err != nil {
		return fmt.Errorf("login: %w", err)
	}
	return nil
}

// State reports what the system will do.
func (i *Item) State() (State, error) {
	s, err := i.place.state(i.program)
	if err != nil {
		return Off, fmt.Errorf("login: %w", err)
	}
	return s, nil
}

// Where names the entry, for people.
func (i *Item) Where() string { return i.place.String() }

// A place is where the system keeps such entries.
type place interface {
	fmt.Stringer
	write(program string) error
	remove() error // none is no error
	state(program string) (State, error)
}

var errNoHome = errors.New("the folder of your settings is not known: neither XDG_CONFIG_HOME nor HOME is set")
