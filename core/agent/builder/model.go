package builder

import (
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/connect"
	"github.com/hobkin/hobkin/core/provider/offline"
)

// Offline is a model that needs no network and no key: it understands plain
// requests and calls that are written out, such as /weather city=Berlin.
func Offline() provider.Model { return offline.New() }

// Open is a model behind one of the interfaces that package provider knows.
// Nothing is sent until it is asked.
func Open(s provider.Spec, o provider.Options) (provider.Model, error) { return connect.Open(s, o) }
