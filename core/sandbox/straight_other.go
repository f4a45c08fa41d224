//go:build !linux

package sandbox

import (
	"errors"
	"io/fs"
	"os"
)

// straight finds no path in one step where the system cannot.
func straight(string) (fs.FileMode, bool) { return 0, false }

// opensStraight says that the system can do what openStraight is for.
const opensStraight = false

// openStraight opens no file in one step where the system cannot.
func openStraight(string) (*os.File, error) { return nil, errors.ErrUnsupported }
