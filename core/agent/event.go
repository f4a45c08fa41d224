package agent

import (
	"encoding/json"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// An Event is something that happened in a session. Window, command line,
// socket and traces all read this one stream. Its JSON form is stable: see
// docs/events.md.
type Event struct {
	Seq     int64 // position in the session's stream, from 1; 0 for one that is not kept (deltas, progress)
	Session string
	Turn    string
	At      time.Time
	Payload Payload
}

// A Payload is what happened. The set is closed; Name is the event's name in
// JSON, such as tool.started.
//
//sumtype:decl
type Payload interface {
	Name() string
	payload()
}

type (
	// InputMessage is a message that entered the session.
	InputMessage struct {
		Text    string           `json:"text"`
		Command string           `json:"command,omitempty"` // the line that Text was made of, where the person gave a command
		Images  int              `json:"images,omitempty"`  // how many came along
		Channel string           `json:"channel"`
		Trust   capability.Trust `json:"trust"`

		Provenance capability.Provenance `json:"provenance,omitempty"`
	}
	// TurnStarted says that a turn left the queue.
	TurnStarted struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
		Mode     string `json:"mode"`
	}
	// TurnCompleted ends a turn that came to its end.
	TurnCompleted struct {
		Steps      int   `json:"steps"` // model calls
		DurationMS int64 `json:"duration_ms"`
	}
	// TurnFailed ends a turn that could not go on.
	TurnFailed struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Try     string `json:"try,omitempty"`
	}
	// TurnCancelled ends a turn that was stopped.
	TurnCancelled struct {
		Reason string `json:"reason,omitempty"`
	}
	// TurnSealed ends a turn at a limit: too many steps, a spent budget.
	TurnSealed struct {
		Reason string `json:"reason"`
	}
	// OutputDelta is more of the answer. Not kept.
	OutputDelta struct {
		Text string `json:"text"`
	}
	// OutputCompleted is the whole text of one model step.
	OutputCompleted struct {
		Text string `json:"text"`
	}
	// OutputReplaced takes back what was shown of this step and puts Text there.
	OutputReplaced struct {
		Text   string `json:"text"`
		Reason string `json:"reason"`
	}
	// ReasoningDelta is more of the thinking. Not kept.
	ReasoningDelta struct {
		Text string `json:"text"`
	}
	// ToolStarted says that a call is under way.
	ToolStarted struct {
		Call    string          `json:"call"`
		Tool    string          `json:"tool"`
		Title   string          `json:"title"`             // the tool's name in words
		Summary string          `json:"summary,omitempty"` // what it touches: "notes.txt"
		Args    json.RawMessage `json:"args"`
	}
	// ToolProgress is a sentence about how far a call is. Not kept.
	ToolProgress struct {
		Call string `json:"call"`
		Text string `json:"text"`
	}
	// ToolOutput is live output of a call. Not kept.
	ToolOutput struct {
		Call   string `json:"call"`
		Stream string `json:"stream"` // stdout or stderr
		Text   string `json:"text"`
	}
	// ToolRepaired says what was mended in a call's arguments.
	ToolRepaired struct {
		Call string `json:"call"`
		Note string `json:"note"`
	}
	// ToolCompleted ends a call.
	ToolCompleted struct {
		Call       string          `json:"call"`
		Tool       string          `json:"tool"`
		Failed     bool            `json:"failed,omitempty"`
		Code       string          `json:"code,omitempty"`    // of a failure
		Summary    string          `json:"summary,omitempty"` // "14 found", or the failure in a sentence
		Text       string          `json:"text,omitempty"`    // what the model read
		Data       json.RawMessage `json:"data,omitempty"`
		Diff       string          `json:"diff,omitempty"`
		Images     int             `json:"images,omitempty"`
		SavedAs    string          `json:"saved_as,omitempty"`
		DurationMS int64           `json:"duration_ms"`
	}
	// ApprovalRequested says that a person is asked about a call.
	ApprovalRequested struct {
		ID          string             `json:"id"`
		Call        string             `json:"call"`
		Tool        string             `json:"tool"`
		Title       string             `json:"title"` // the tool's name in words
		Preview     capability.Preview `json:"preview"`
		Args        json.RawMessage    `json:"args"`
		Commands    []string           `json:"commands,omitempty"` // a command line taken apart
		Reason      string             `json:"reason"`             // why a person is asked
		Risk        string             `json:"risk"`               // low, medium or high
		Rule        string             `json:"rule,omitempty"`     // what Always would write; empty when it cannot
		Fingerprint string             `json:"fingerprint"`
		Expires     time.Time          `json:"expires"`
	}
	// ApprovalResolved says how it went. All surfaces withdraw the question.
	ApprovalResolved struct {
		ID       string `json:"id"`
		Call     string `json:"call"`
		Decision string `json:"decision"` // once, session, always, deny, deny_always, cancelled, expired, unavailable
		By       string `json:"by,omitempty"`
	}
	// QuestionAsked is a form of the tool ask_user.
	QuestionAsked struct {
		ID        string     `json:"id"`
		Call      string     `json:"call"`
		Questions []Question `json:"questions"`
		Expires   time.Time  `json:"expires"`
	}
	// QuestionAnswered ends a form. Secrets are not repeated here.
	QuestionAnswered struct {
		ID string `json:"id"`
		By string `json:"by,omitempty"`
	}
	// ContextCompacting says that the conversation is being shortened.
	ContextCompacting struct {
		Tokens int `json:"tokens"`
	}
	// ContextCompacted says by how much.
	ContextCompacted struct {
		Before int    `json:"before"`
		After  int    `json:"after"`
		Method string `json:"method"`
	}
	// BudgetWarned says that a budget is nearly or wholly spent.
	BudgetWarned struct {
		Budget string `json:"budget"`
		Spent  string `json:"spent"`
		Limit  string `json:"limit"`
	}
	// BudgetPaused says that a budget is spent and a person is asked whether to go on.
	BudgetPaused struct {
		Budget string `json:"budget"`
		Spent  string `json:"spent"`
		Limit  string `json:"limit"`
	}
	// BudgetResumed says that the person lets it go on, with as much again.
	BudgetResumed struct {
		Budget string `json:"budget"`
	}
	// BudgetSealed says that a budget is spent and ends the turn.
	BudgetSealed struct {
		Budget string `json:"budget"`
		Spent  string `json:"spent"`
		Limit  string `json:"limit"`
	}
	// ModelGeneration is the account of one model call.
	ModelGeneration struct {
		Provider   string         `json:"provider"`
		Model      string         `json:"model"`
		Usage      provider.Usage `json:"usage"`
		CostUSD    float64        `json:"cost_usd,omitempty"`
		Stop       provider.Stop  `json:"stop"`
		DurationMS int64          `json:"duration_ms"`
	}
	// Notice is a sentence for the person that is no part of the conversation:
	// a fallback, a retry, something mended.
	Notice struct {
		Text string `json:"text"`
	}
	// Lagged tells one subscriber how many events it missed. Not kept.
	Lagged struct {
		Missed int `json:"missed"`
	}
)

// A Question is one field of a form.
type Question struct {
	ID          string   `json:"id"`
	Header      string   `json:"header,omitempty"`
	Question    string   `json:"question"`
	Kind        string   `json:"kind"` // choice, text or secret
	Options     []string `json:"options,omitempty"`
	MultiSelect bool     `json:"multi_select,omitempty"`
	AllowOther  bool     `json:"allow_other,omitempty"`
	Default     string   `json:"default,omitempty"` // the answer when no one is there
}

// Durable reports whether events of this payload are stored and numbered.
func Durable(p Payload) bool {
	switch p.(type) {
	case OutputDelta, ReasoningDelta, ToolProgress, ToolOutput, ComputerState, Lagged:
		return false
	default:
		return true
	}
}

// EndsTurn reports whether p is the last event of its turn.
func EndsTurn(p Payload) bool {
	switch p.(type) {
	case TurnCompleted, TurnFailed, TurnCancelled, TurnSealed:
		return true
	default:
		return false
	}
}
