package capability

import "slices"

// Trust is stamped where a message enters, is carried to every call, and is
// never raised later. The zero Trust counts as Guest: a call path that set
// nothing degrades, it never grants.
type Trust string

// The trusts.
const (
	Operator Trust = "operator" // the owner
	Guest    Trust = "guest"    // another allowed sender
)

// A Policy narrows what a caller may use. Deny wins over allow. A nil Allow
// narrows nothing, an empty one that is not nil allows nothing.
type Policy struct {
	Allow []Class
	Deny  []Class
}

// Only is the policy that allows just these classes.
func Only(classes ...Class) *Policy { return &Policy{Allow: classes} }

// DefaultPolicy is what a trust alone allows.
func DefaultPolicy(t Trust) Policy {
	if t == Operator {
		return Policy{Allow: Classes()}
	}
	return Policy{Allow: []Class{ReadOnly}, Deny: []Class{ReadWrite, Exec, Network, ExternalAPI, GUIControl}}
}

// EffectivePolicy is the trust's default, narrowed by p. An explicit policy
// never widens what the trust allows. Nil means the default.
func EffectivePolicy(t Trust, p *Policy) Policy {
	base := DefaultPolicy(t)
	if p == nil {
		return base
	}
	out := Policy{Deny: slices.Concat(base.Deny, p.Deny)}
	if p.Allow == nil {
		out.Allow = base.Allow
		return out
	}
	for _, c := range p.Allow {
		if base.Allows(c) {
			out.Allow = append(out.Allow, c)
		}
	}
	return out
}

// Allows reports whether p lets class c through.
func (p Policy) Allows(c Class) bool {
	return slices.Contains(p.Allow, c) && !slices.Contains(p.Deny, c)
}

// ForSubagent is what a subagent of a caller with trust t may use: the
// caller's classes without read_write and gui_control.
func ForSubagent(t Trust) *Policy {
	p := DefaultPolicy(t)
	p.Deny = append(p.Deny, ReadWrite, GUIControl)
	return &p
}

// Provenance says where a message came from. It is stamped where the message
// enters, like its Trust. Only what a person typed can agree to anything; the
// zero Provenance is none of these and agrees to nothing.
type Provenance string

// The provenances.
const (
	FromPerson   Provenance = "typed"     // a person wrote or spoke it
	FromSchedule Provenance = "scheduled" // a job, a reminder or a watcher
	FromWeb      Provenance = "web"       // a page, a mail or a hook from the network
	FromTool     Provenance = "tool"      // a connected program, through the servers we offer
	FromSubagent Provenance = "subagent"  // another turn of the agent's own
)

// MayAgree reports whether a message can answer a question of the agent's.
func (p Provenance) MayAgree() bool { return p == FromPerson }

// Outside reports whether the message itself is text from outside.
func (p Provenance) Outside() bool { return p == FromWeb || p == FromTool }
