package sandbox

import "github.com/hobkin/hobkin/core/capability"

// The ways a path is refused. Each message names the path and what would help.
var (
	ProtectedPath   = &capability.Failure{Code: "protected_path", When: "the path holds secrets, belongs to the system or to Hobkin itself", Try: "work without it; no grant opens a protected path"}
	BlockedRoot     = &capability.Failure{Code: "blocked_root", When: "the path lies in a folder that the owner has blocked", Try: "work without it; only the owner can take the folder off blocked_roots in the settings"}
	OutsideRoot     = &capability.Failure{Code: "outside_root", When: "the path lies outside the folders that may be used", Try: "ask for the folder with request_directory_access"}
	TooManySymlinks = &capability.Failure{Code: "too_many_symlinks", When: "more than 64 links follow one another", Try: "use the path that the links lead to"}
	NotFound        = &capability.Failure{Code: "not_found", When: "a folder on the way to the path does not exist", Try: "list the folder above and use a path from the list"}
	NoAccess        = &capability.Failure{Code: "no_access", When: "the system does not let this user look at the path", Try: "choose another path, or ask the owner to change its permissions"}
	TooWide         = &capability.Failure{Code: "too_wide", When: "the folder holds the whole home, the whole disk or everyone's files", Try: "name the one folder that is needed"}
	BadPath         = &capability.Failure{Code: "bad_path", When: "the text is no usable path", Try: "give a plain path, absolute or relative to the workspace"}
)

// Failures joins what a tool declares of its own with every way that
// [Policy.Place] and [Policy.Judge] fail on purpose, for the docs of tools that
// use them. Of two with the same code the tool's own counts.
func Failures(own ...*capability.Failure) []*capability.Failure {
	codes := map[string]bool{}
	for _, f := range own {
		codes[f.Code] = true
	}
	for _, f := range []*capability.Failure{ProtectedPath, BlockedRoot, OutsideRoot, TooManySymlinks, NotFound, NoAccess, BadPath} {
		if !codes[f.Code] {
			own = append(own, f)
		}
	}
	return own
}
