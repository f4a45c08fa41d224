//go:build !windows && !darwin && !linux

package login

import "errors"

func home() (place, error) {
	return nil, errors.New("this system is not known to start programs at login")
}
