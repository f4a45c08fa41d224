package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/mcp/outbound"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/provider"
)

// asServers is what tool servers may ask of this core.
type asServers struct{ c *Core }

func (a asServers) host() outbound.Host {
	return outbound.Host{
		Roots: func() []string {
			return a.c.policy.Roots(capability.Turn{Trust: capability.Operator, Workspace: a.c.workspace()})
		},
		Elicit: a.elicit, Sample: a.sample, Save: a.save,
	}
}

// save keeps what a server sent beside the session's outputs.
func (a asServers) save(ctx context.Context, session, name string, data []byte) (string, error) {
	return a.c.store.SaveAttachment(ctx, or(session, "calls"), filepath.Base(name), data)
}

// elicit shows a server's question as a form. Where no one is there it is
// declined: a server must not wait for ever, and an answer must be a person's.
func (a asServers) elicit(ctx context.Context, e outbound.Elicitation) (outbound.Elicited, error) {
	if e.Call.Turn.Session == "" || !e.Call.Turn.Attended {
		return outbound.Elicited{Action: "decline"}, nil
	}
	if e.URL != "" {
		return a.openPage(ctx, e)
	}
	fields, err := e.Fields()
	if err != nil {
		return outbound.Elicited{}, err
	}
	answers, err := a.c.forms.ask(ctx, e.Call, formOf(e, fields), questionTime)
	if errors.Is(err, context.DeadlineExceeded) {
		return outbound.Elicited{Action: "cancel"}, nil
	}
	if err != nil {
		return outbound.Elicited{}, err
	}
	if len(answers) == 0 {
		return outbound.Elicited{Action: "decline"}, nil
	}
	content := map[string]any{}
	for _, f := range fields {
		v, ok, err := f.Value(answers[f.Name])
		if err != nil {
			return outbound.Elicited{}, err
		}
		if ok {
			content[f.Name] = v
		}
	}
	return outbound.Elicited{Action: "accept", Content: content}, nil
}

// formOf puts the fields into questions; each says who asks.
func formOf(e outbound.Elicitation, fields []outbound.Field) []agent.Question {
	out := make([]agent.Question, 0, len(fields))
	for i, f := range fields {
		q := agent.Question{ID: f.Name, Header: "The server " + e.Server + " asks", Kind: "text", Default: f.Default}
		q.Question = strings.TrimSpace(f.Label + ". " + f.Help)
		if i == 0 {
			q.Question = e.Message + "\n" + q.Question
		}
		switch f.Kind {
		case "boolean":
			q.Kind, q.Options = "choice", []string{"yes", "no"}
		case "choice", "choices":
			q.Kind, q.Options, q.MultiSelect = "choice", f.Titles, f.Kind == "choices"
		}
		out = append(out, q)
	}
	return out
}

// openPage asks whether a page of the server's may be opened, and shows its
// whole address: what is done there is between the person and the page.
func (a asServers) openPage(ctx context.Context, e outbound.Elicitation) (outbound.Elicited, error) {
	u, err := url.Parse(e.URL)
	if err != nil || !opens(u) {
		return outbound.Elicited{}, fmt.Errorf("the page %q cannot be opened: only https addresses are", e.URL)
	}
	answers, err := a.c.forms.ask(ctx, e.Call, []agent.Question{{
		ID: "open", Header: "The server " + e.Server + " asks", Kind: "choice", Options: []string{"I have opened it", "No"},
		Question: e.Message + "\nIt wants you to open this page in your browser: " + u.String(),
	}}, questionTime)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return outbound.Elicited{Action: "cancel"}, nil
	case err != nil:
		return outbound.Elicited{}, err
	case len(answers["open"]) == 1 && answers["open"][0] != "No":
		return outbound.Elicited{Action: "accept"}, nil
	}
	return outbound.Elicited{Action: "decline"}, nil
}

// opens reports whether a browser may be sent to a page of a server's: one that
// is encrypted, or of this machine. Other schemes start other programs.
func opens(u *url.URL) bool {
	own := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1"
	return u.User == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && own)
}

// mostSample is how long an answer for a server may be, in tokens.
const mostSample = 4096

var errNoSample = errors.New("the person did not agree that the server uses the model")

// sampleArgs is all that the model is given, as it is shown and bound.
type sampleArgs struct {
	System   string                     `json:"system,omitempty"`
	Messages []outbound.SamplingMessage `json:"messages"`
}

// sample lets a server use the model, after the person has seen what it sends.
func (a asServers) sample(ctx context.Context, s outbound.Sampling) (outbound.Sampled, error) {
	turn := s.Call.Turn
	if turn.Session == "" || !turn.Attended {
		return outbound.Sampled{}, errNoSample
	}
	args, err := json.Marshal(sampleArgs{s.System, s.Messages})
	if err != nil {
		return outbound.Sampled{}, fmt.Errorf("app: a server's messages: %w", err)
	}
	sum := sha256.Sum256(args)
	answer, err := a.c.broker.Ask(ctx, turn, agent.ApprovalRequested{
		Call: s.Call.ID, Tool: s.Call.Name, Title: "Use the model", Args: permission.EscapeJSON(args), Risk: permission.Medium,
		Preview: capability.Preview{
			Question: "Let the server " + s.Server + " use the model?",
			Summary:  fmt.Sprintf("It sends %d messages and reads the answer; this costs tokens.", len(s.Messages)),
		},
		Reason: "A tool server wants an answer of the model.", Fingerprint: hex.EncodeToString(sum[:]),
	})
	if err != nil {
		return outbound.Sampled{}, err
	}
	if answer.Decision != permission.Once && answer.Decision != permission.ForSession {
		return outbound.Sampled{}, errNoSample
	}
	return a.ask(ctx, s)
}

// ask asks the background model.
func (a asServers) ask(ctx context.Context, s outbound.Sampling) (outbound.Sampled, error) {
	choices, err := a.c.choose(ctx, "background", "")
	if err != nil {
		return outbound.Sampled{}, err
	}
	req := provider.Request{System: s.System, MaxOutput: min(max(s.MaxTokens, 1), mostSample), Effort: choices[0].Effort}
	for _, m := range s.Messages {
		role := provider.RoleUser
		if m.Role == "assistant" {
			role = provider.RoleAssistant
		}
		req.Messages = append(req.Messages, provider.Message{Role: role, Parts: []provider.Part{provider.Text{Text: m.Text}}})
	}
	out := outbound.Sampled{Model: choices[0].Model.Info().Model, Stop: "endTurn"}
	for e, err := range choices[0].Model.Stream(ctx, req) {
		if err != nil {
			return out, err
		}
		switch e := e.(type) {
		case provider.TextDelta:
			out.Text += string(e)
		case provider.Done:
			if e.Stop == provider.StopLength {
				out.Stop = "maxTokens"
			}
		case provider.ReasoningDelta, provider.PartDone: // the text came in pieces
		}
	}
	return out, nil
}
