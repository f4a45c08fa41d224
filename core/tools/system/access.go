package system

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

var (
	openAlready = &capability.Failure{Code: "open_already", When: "the folder may be used already", Try: "go on with the path, no request is needed"}
	noGrants    = &capability.Failure{Code: "no_grants", When: "access cannot be given here", Try: "tell the owner to run hobkin grant with the folder"}
	noOne       = &capability.Failure{Code: "no_one_there", When: "no person is there to agree or to answer", Try: "go on without it, and say what you would have needed"}
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:  "request_directory_access",
		Title: "Ask for a folder",
		Description: "Asks the person for access to a folder outside of those that may be used. When they agree it may be read and written from then on, " +
			"and the call that was refused can be sent again.",
		Class:     capability.ExternalAPI,
		Category:  capability.CategorySystem,
		Hints:     capability.Hints{ReadOnly: capability.No, Idempotent: capability.Yes, OpenWorld: capability.No},
		Available: func(t capability.Turn) bool { return t.Attended && t.Trust == capability.Operator },
		Docs: capability.Docs{
			When: "after a tool failed with outside_root, for the narrowest folder that is needed; never to look around",
			Examples: []capability.Example{
				{When: "the user asks to sort a folder that is out of reach", In: accessIn{Path: "~/Pictures/2026", Reason: "You asked me to sort the photos there."}},
				{When: "a project lies beside the workspace", In: accessIn{Path: "../website", Reason: "The page to change is in there."}},
			},
			Fails: append(sandbox.Failures(openAlready, noGrants, noOne), sandbox.TooWide),
		},
	}, (*Host).access, (*Host).previewAccess)
}

type accessIn struct {
	Path   string `json:"path" min:"1" jsonschema:"the folder: absolute, relative to the workspace, or starting with ~"`
	Reason string `json:"reason" min:"1" max:"500" jsonschema:"why it is needed, a sentence for the person"`
}

// dryRun finds out whether the folder may be granted at all.
func (h *Host) dryRun(call capability.Call, in accessIn) (abs string, err error) {
	switch {
	case !call.Turn.Attended || call.Turn.Trust != capability.Operator:
		return "", noOne.Becausef("no one is there to agree")
	case h.Grants == nil:
		return "", noGrants.Becausef("folders cannot be opened from here")
	}
	path := in.Path
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, "~") {
		path = filepath.Join(call.Turn.Workspace, path)
	}
	if abs, err = h.Grants.CheckGrant(path); err != nil {
		return "", err
	}
	if open, err := h.Paths.Judge(call.Turn, abs, sandbox.Write); err == nil {
		return "", openAlready.Becausef("%s may be used already", open)
	} else if !errors.Is(err, sandbox.OutsideRoot) {
		return "", err
	}
	return abs, nil
}

func (h *Host) previewAccess(_ context.Context, call capability.Call, in accessIn) (capability.Preview, error) {
	abs, err := h.dryRun(call, in)
	if err != nil {
		return capability.Preview{}, err
	}
	return capability.Preview{
		Question: "Give access to a folder?",
		Summary:  abs + " · " + onLine(in.Reason),
		Paths:    []capability.PathUse{{Path: abs, Write: true}},
		Warnings: []string{"Everything in the folder can be read and changed from then on, until you take it back with hobkin revoke."},
	}, nil
}

func (h *Host) access(ctx context.Context, call capability.Call, in accessIn) (capability.Result, error) {
	abs, err := h.dryRun(call, in)
	if err != nil {
		return capability.Result{}, err
	}
	if err := h.Grants.AddGrant(ctx, abs, onLine(in.Reason)); err != nil {
		if _, ok := capability.AsUserError(err); ok {
			return capability.Result{}, err
		}
		return capability.Result{}, noGrants.Becausef("the grant for %s was not kept: %v", abs, err)
	}
	return capability.Result{
		Text:    abs + " may be used now. Go on with what you were doing there.",
		Summary: abs,
	}, nil
}
