package control

import "context"

// MethodExplain tells what would be allowed, and by which rule.
const MethodExplain = "sandbox.explain"

// ExplainRequest asks about a path or about a command line.
type ExplainRequest struct {
	Path      string `json:"path,omitempty"`
	Command   string `json:"command,omitempty"` // looked at when Path is empty
	Workspace string `json:"workspace,omitempty"`
}

// Explained is what would become of a path or a command line.
type Explained struct {
	About   string       `json:"about"` // where the path leads, or the command line
	Answers []ExplainRow `json:"answers"`
}

// ExplainRow answers one question.
type ExplainRow struct {
	Question string `json:"question"`         // such as "tools may read it"
	Answer   string `json:"answer"`           // yes, no, asks, or a fact
	Reason   string `json:"reason,omitempty"` // the rule
	Fix      string `json:"fix,omitempty"`    // what the owner can do about a no
}

// Explain tells what would be allowed, and by which rule. Nothing is run.
func (c *Client) Explain(ctx context.Context, r ExplainRequest) (Explained, error) {
	return ask[Explained](ctx, c, MethodExplain, r)
}
