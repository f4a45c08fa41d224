package secret

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// A backend is what a keyring can do. Its calls may take for ever.
type backend interface {
	Set(service, name, value string) error
	Get(service, name string) (string, error)
	Delete(service, name string) error
}

// system is the keyring of the operating system.
type system struct{}

func (system) Set(service, name, value string) error    { return keyring.Set(service, name, value) }
func (system) Get(service, name string) (string, error) { return keyring.Get(service, name) }
func (system) Delete(service, name string) error        { return keyring.Delete(service, name) }

// A ring asks a backend, one call at a time, and does not wait for ever.
type ring struct {
	service string
	back    backend
	wait    time.Duration
	busy    chan struct{} // holds one token while a call is under way, also one that was given up
	stuck   atomic.Bool   // the call under way was given up
}

var (
	errNoBus   = errors.New("this login session has no message bus, so there is no keyring")
	errTimeout = errors.New("the keyring did not answer in time; it may wait for a password")
)

func newRing(service string, back backend) *ring {
	return &ring{service: service, back: back, wait: wait, busy: make(chan struct{}, 1)}
}

func (r *ring) set(ctx context.Context, name, value string) error {
	_, err := r.do(ctx, func() (string, error) { return "", r.back.Set(r.service, name, value) })
	return err
}

func (r *ring) get(ctx context.Context, name string) (string, error) {
	return r.do(ctx, func() (string, error) { return r.back.Get(r.service, name) })
}

func (r *ring) delete(ctx context.Context, name string) error {
	_, err := r.do(ctx, func() (string, error) { return "", r.back.Delete(r.service, name) })
	return err
}

// do runs a call of the backend. The call cannot be stopped: when it is given
// up it stays behind, and no other is made until it has ended.
func (r *ring) do(ctx context.Context, call func() (string, error)) (string, error) {
	switch {
	case !hasBus():
		return "", errNoBus
	case r.stuck.Load():
		return "", errTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.wait, errTimeout)
	defer cancel()
	select {
	case r.busy <- struct{}{}:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	type answer struct {
		value string
		err   error
	}
	done := make(chan answer, 1)
	go func() { // ends with the call
		defer func() {
			r.stuck.Store(false)
			<-r.busy
		}()
		value, err := call()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		if errors.Is(a.err, keyring.ErrNotFound) {
			return "", ErrNotFound
		}
		return a.value, a.err
	case <-ctx.Done():
		r.stuck.Store(true)
		return "", context.Cause(ctx)
	}
}

// hasBus reports whether asking can work at all. Without the address of a bus
// the library starts a bus of its own, which hangs and stays behind.
func hasBus() bool {
	switch runtime.GOOS {
	case "windows", "darwin":
		return true
	}
	return os.Getenv("DBUS_SESSION_BUS_ADDRESS") != ""
}

// reason is why a keyring cannot be used, as the end of a sentence.
func reason(err error) string {
	switch {
	case errors.Is(err, errNoBus), errors.Is(err, errTimeout):
		return err.Error()
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return "the secret is too long for the keyring"
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return "this system has no keyring that Hobkin knows"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "the keyring did not answer before the request ended"
	}
	return fmt.Sprintf("the keyring cannot be used (%v)", err)
}
