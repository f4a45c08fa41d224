// Package media holds the tools that show pictures and have them made.
//
// Pictures are told by their bytes and made to fit what models take by package
// picture; the services that make new ones are in package imagegen.
package media

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/imagegen"
	"github.com/hobkin/hobkin/core/sandbox"
)

// Tools is the group's set. Each tool file adds itself.
var Tools capability.Set[*Host]

// Files reads files that the turn may read.
type Files interface {
	// ReadWhole returns the contents of a regular file of at most so many
	// bytes, and its absolute path.
	ReadWhole(turn capability.Turn, path string, most int64) (data []byte, abs string, err error)
}

// A Host is what the media tools work with. Files must be set; its fields are
// not changed after the first call.
type Host struct {
	Files Files
	// Maker is the service of the settings; nil without an error when none is
	// set up.
	Maker func() (*imagegen.Maker, error)
	// Save keeps a picture beside its session and returns the absolute path.
	Save func(ctx context.Context, call capability.Call, name string, data []byte) (path string, err error)
}

// mostBytes is how large a picture may be that is read: 10 MiB.
const mostBytes = 10 << 20

// The failures that the tools share.
var (
	notFound   = &capability.Failure{Code: "not_found", When: "nothing has that path", Try: "list the folder with list_dir, or look for the name with glob_search"}
	isFolder   = &capability.Failure{Code: "is_folder", When: "the path is a folder", Try: "use list_dir to see what is in it"}
	notRegular = &capability.Failure{Code: "not_regular", When: "the path is a FIFO, a socket or a device, which are never opened", Try: "use the path of an ordinary file"}
	tooBig     = &capability.Failure{Code: "too_big", When: "the picture has more than 10 MiB", Try: "make a smaller copy with a program for pictures"}
	notPicture = &capability.Failure{Code: "not_a_picture", When: "the file is no picture that can be used, whatever its name says, or is damaged", Try: "convert it to PNG or JPEG with a program for pictures"}
)

// reading is every way that a picture is not read.
func reading(own ...*capability.Failure) []*capability.Failure {
	return sandbox.Failures(append(own, notFound, isFolder, notRegular, tooBig, notPicture)...)
}
