package app

import (
	"context"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
)

// socketOwner is who speaks through the control socket: it lets in no one else.
const socketOwner = "owner"

// offers gives out a token for every question that waits, good in the
// conversation that asks.
func (c *Core) offers(_ context.Context, r control.OfferRequest) ([]control.Offer, error) {
	out := []control.Offer{}
	for _, w := range c.broker.Pending() {
		if token := c.chat.Offer(w.Request.ID, r.Conversation, socketOwner); token != "" {
			out = append(out, control.Offer{PendingApproval: control.PendingApproval{Session: w.Turn.Session, Turn: w.Turn.ID, Request: w.Request}, Token: token})
		}
	}
	return out, nil
}

// confirm takes /confirm TOKEN and /deny TOKEN. What comes through the socket
// was typed: processes of the agent's own are refused there.
func (c *Core) confirm(_ context.Context, r control.ConfirmRequest) (string, error) {
	return c.chat.Take(permission.Said{Text: r.Text, Conversation: r.Conversation, Sender: socketOwner, Provenance: capability.FromPerson})
}
