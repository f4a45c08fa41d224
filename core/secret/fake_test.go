package secret

import (
	"sync"

	"github.com/zalando/go-keyring"
)

// fake is a keyring in memory that can be broken.
type fake struct {
	mu     sync.Mutex
	values map[string]string
	err    error
	hang   chan struct{} // calls wait until it is closed; nil does not
}

func (f *fake) enter() error {
	if f.hang != nil {
		<-f.hang
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fake) Set(_, name, value string) error {
	if err := f.enter(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.values[name] = value
	return nil
}

func (f *fake) Get(_, name string) (string, error) {
	if err := f.enter(); err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if v, ok := f.values[name]; ok {
		return v, nil
	}
	return "", keyring.ErrNotFound
}

func (f *fake) Delete(_, name string) error {
	if _, err := f.Get("", name); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.values, name)
	return nil
}
