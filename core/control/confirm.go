package control

import "context"

// The methods by which a question is answered in words, in a channel that
// carries text alone.
const (
	MethodOffer   = "approval.offer"
	MethodConfirm = "approval.confirm"
)

// OfferRequest asks for tokens for the questions that wait.
type OfferRequest struct {
	Conversation string `json:"conversation"` // where the tokens are good
}

// An Offer is a question that waits, and the token that answers it.
type Offer struct {
	PendingApproval
	Token string `json:"token"`
}

// ConfirmRequest is a message of the form /confirm TOKEN or /deny TOKEN.
type ConfirmRequest struct {
	Conversation string `json:"conversation"`
	Text         string `json:"text"`
}

// Offers lists the questions that wait, each with a token for one conversation
// that is good for a minute.
func (c *Client) Offers(ctx context.Context, conversation string) ([]Offer, error) {
	return ask[[]Offer](ctx, c, MethodOffer, OfferRequest{conversation})
}

// Confirm answers a question by its token. It returns a sentence that says what
// came of it.
func (c *Client) Confirm(ctx context.Context, r ConfirmRequest) (string, error) {
	return ask[string](ctx, c, MethodConfirm, r)
}
