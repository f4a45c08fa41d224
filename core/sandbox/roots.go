package sandbox

import (
	"path/filepath"

	"github.com/hobkin/hobkin/core/capability"
)

// root returns the root of the turn that abs lies in, or "". The folder of the
// request has to be looked for, so it is asked last, and only when it matters.
func (r *rules) root(turn capability.Turn, use Use, abs string) string {
	if root := under(r.fixedRoots(turn, use), abs); root != "" {
		return root
	}
	if !r.asked(turn) {
		return ""
	}
	ws := turn.Workspace
	if filepath.Clean(ws) == ws && prefixed(ws, abs) { // it has no links where abs, in it, has none
		if r.mayRequest(turn, ws) {
			return ws
		}
		return ""
	}
	if ws = r.requested(turn); ws != "" && within(ws, abs) {
		return ws
	}
	return ""
}

// roots lists what the turn may use, resolved.
func (r *rules) roots(turn capability.Turn, use Use) []string {
	out := r.fixedRoots(turn, use)
	if ws := r.requested(turn); ws != "" {
		out = append(out, ws)
	}
	return out
}

// fixedRoots are the roots but the folder of the request.
func (r *rules) fixedRoots(turn capability.Turn, use Use) []string {
	var out []string
	if r.workspace != "" {
		out = append(out, r.workspace)
	}
	out = append(out, r.granted...)
	if use == Read {
		out = append(out, r.shared...)
	}
	if r.cfg.Mode == Strict || turn.Trust != capability.Operator {
		return out
	}
	if turn.Attended && r.skills != "" {
		out = append(out, r.skills)
	}
	if turn.Attended && r.cfg.Mode == Open {
		out = append(out, r.home)
	}
	return out
}

// commandLine is the channel of a person's own terminal or script.
const commandLine = "cli"

// asked reports whether the folder that the request was made in may count.
func (r *rules) asked(turn capability.Turn) bool {
	return r.cfg.Mode != Strict && turn.Trust == capability.Operator && local(turn.Channel) && filepath.IsAbs(turn.Workspace)
}

// requested is that folder, resolved, when it may be used.
func (r *rules) requested(turn capability.Turn) string {
	if !r.asked(turn) {
		return ""
	}
	t, err := resolve(turn.Workspace, nil)
	if err != nil || !r.mayRequest(turn, t.abs) {
		return ""
	}
	return t.abs
}

// mayRequest reports whether the folder of the request, resolved, may be used. A
// person who starts the command line in a folder means that folder, wherever it
// is, as long as it could be granted. Elsewhere it must lie strictly inside the
// home, and the turn be one of a local person who is there.
func (r *rules) mayRequest(turn capability.Turn, abs string) bool {
	switch {
	case abs == r.home, r.protects(abs):
		return false
	case turn.Channel == commandLine && r.checkRoot(abs) == nil:
		return true
	}
	return turn.Attended && within(r.home, abs)
}

// local reports whether a message came in on this machine.
func local(channel string) bool {
	switch channel {
	case "", "desktop", "cli", "socket", "voice":
		return true
	}
	return false
}
