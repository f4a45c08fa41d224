package outbound

import (
	"context"
	"encoding/json"

	"github.com/hobkin/hobkin/core/capability"
)

// A Host is what servers may ask of the agent. Its functions may be nil: the
// ability is then not offered.
type Host struct {
	// Roots are the folders that servers are told to keep to, absolute.
	Roots func() []string
	// Elicit asks the person for a server.
	Elicit func(ctx context.Context, e Elicitation) (Elicited, error)
	// Sample asks the model for a server, after the person agreed.
	Sample func(ctx context.Context, s Sampling) (Sampled, error)
	// Save keeps data that no message can carry, and returns its absolute path.
	Save func(ctx context.Context, session, name string, data []byte) (string, error)
	// Prompts is told when the prompts of a server have changed.
	Prompts func(server string)
}

// An Elicitation is a question of a server to the person.
type Elicitation struct {
	Server  string
	Call    capability.Call // on whose behalf, as far as can be told; zero when none is under way
	Message string
	Schema  json.RawMessage // JSON Schema of the answer: an object of plain values
	URL     string          // a page to open instead of a form
}

// Elicited is the answer: Action is accept, decline or cancel.
type Elicited struct {
	Action  string
	Content map[string]any
}

// A Sampling is a question of a server to the model.
type Sampling struct {
	Server    string
	Call      capability.Call // as for an [Elicitation]
	System    string
	Messages  []SamplingMessage
	MaxTokens int
}

// A SamplingMessage is text with its role: user or assistant.
type SamplingMessage struct {
	Role string
	Text string
}

// Sampled is the model's answer.
type Sampled struct {
	Model string
	Text  string
	Stop  string // endTurn or maxTokens
}
