package login

import (
	"errors"

	"golang.org/x/sys/windows/registry"
)

// runKey has the programs that Windows starts for the person.
const (
	runKey = `Software\Microsoft\Windows\CurrentVersion\Run`
	value  = "Hobkin"
)

type run struct{}

func home() (place, error) { return run{}, nil }

// String implements [fmt.Stringer].
func (run) String() string { return `HKCU\` + runKey }

func (run) write(program string) error {
	k, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return err
	}
	return errors.Join(k.SetStringValue(value, command(program)), k.Close())
}

func (run) remove() error {
	k, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := k.DeleteValue(value); !errors.Is(err, registry.ErrNotExist) {
		return errors.Join(err, k.Close())
	}
	return k.Close()
}

func (run) state(program string) (State, error) {
	k, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return Off, nil
	}
	if err != nil {
		return Off, err
	}
	got, _, err := k.GetStringValue(value)
	err = errors.Join(err, k.Close())
	switch {
	case errors.Is(err, registry.ErrNotExist):
		return Off, nil
	case err != nil:
		return Off, err
	case got != command(program):
		return Elsewhere, nil
	}
	return On, nil
}

func command(program string) string { return `"` + program + `" ` + Hidden }
