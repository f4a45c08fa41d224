package capabilitytest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/capability/capabilitytest"
)

type host struct{ dir string }

type touchIn struct {
	Path string `json:"path" jsonschema:"the file to make"`
}

var exists = &capability.Failure{Code: "exists", When: "the file is there already", Try: "choose another name"}

var tools capability.Set[*host]

func init() {
	capability.AddPreviewed(&tools, capability.Capability{
		Name: "touch", Title: "Make a file", Description: "Makes an empty file.",
		Class: capability.ReadWrite, Category: capability.CategoryFile,
		Docs: capability.Docs{
			When:     "to try the scripts",
			Examples: []capability.Example{{When: "one", In: touchIn{"a"}}, {When: "two", In: touchIn{"b"}}},
			Fails:    []*capability.Failure{exists},
		},
	}, (*host).touch, (*host).preview)
}

func (h *host) touch(_ context.Context, _ capability.Call, in touchIn) (capability.Result, error) {
	at := filepath.Join(h.dir, in.Path)
	if _, err := os.Stat(at); err == nil {
		return capability.Result{}, exists.Becausef("%s is there", at)
	}
	return capability.Result{Text: "made " + at, Summary: "1 made"}, os.WriteFile(at, nil, 0o600)
}

func (h *host) preview(_ context.Context, _ capability.Call, in touchIn) (capability.Preview, error) {
	return capability.Preview{Question: "Make a file?", Summary: in.Path}, nil
}

func TestTools(t *testing.T) {
	capabilitytest.Contract(t, tools.Bind(nil))
	capabilitytest.Scripts(t, func(_ *testing.T, dir string) []capability.Capability { return tools.Bind(&host{dir}) })
}
