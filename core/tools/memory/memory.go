// Package memory has the tools that remember, recall and forget. What may be
// remembered, and what must wait for the owner, is judged by package
// core/memory; these tools only ask it.
package memory

import (
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/memory"
)

// Tools is the group's set. Each tool file adds itself.
var Tools capability.Set[*Host]

// An Origin is where a wish to change the memory comes from.
type Origin struct {
	Source string // what was read or said, for people
	Hold   string // why it must wait for the owner; empty when it need not
}

// A Host is what the tools work with. Book must be set.
type Host struct {
	Book *memory.Book
	// Origin says where a call comes from; nil means from the conversation.
	Origin func(call capability.Call) Origin
	// Job names the scheduled job that a turn belongs to; nil means none.
	Job func(turn capability.Turn) string
}

func (h *Host) place(turn capability.Turn) memory.Place {
	p := memory.Place{Session: turn.Session}
	if h.Job != nil {
		p.Job = h.Job(turn)
	}
	return p
}

func (h *Host) origin(call capability.Call) Origin {
	if h.Origin == nil {
		return Origin{Source: "this conversation"}
	}
	return h.Origin(call)
}

// ownersOnly: a guest sees and changes nothing of the owner's memory.
func ownersOnly(turn capability.Turn) bool { return turn.Trust == capability.Operator }

// about is a memory in a preview or an answer, on one line.
func about(key, value string) string {
	return key + ": " + capability.CutMiddle(value, 300)
}

// heldText is what is said of something that waits.
func heldText(what, why string) string {
	return what + " waits for the owner: " + why + " It does not count until they agree to it, on the Memory page or with hobkin memory approve."
}
