package agent

import (
	"encoding/json"
	"fmt"
	"time"
)

// wireEvent is the JSON form of an Event.
type wireEvent struct {
	Type    string          `json:"type"`
	Seq     int64           `json:"seq,omitempty"`
	Session string          `json:"session"`
	Turn    string          `json:"turn,omitempty"`
	At      time.Time       `json:"time"`
	Data    json.RawMessage `json:"data"`
}

// MarshalJSON writes e with its payload's name as type.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Payload == nil {
		return nil, fmt.Errorf("agent: event %d without a payload", e.Seq)
	}
	data, err := json.Marshal(e.Payload)
	if err != nil {
		return nil, fmt.Errorf("agent: event %s: %w", e.Payload.Name(), err)
	}
	return json.Marshal(wireEvent{e.Payload.Name(), e.Seq, e.Session, e.Turn, e.At, data})
}

// UnmarshalJSON reads what [Event.MarshalJSON] wrote. An unknown type is an error.
func (e *Event) UnmarshalJSON(raw []byte) error {
	var w wireEvent
	if err := json.Unmarshal(raw, &w); err != nil {
		return fmt.Errorf("agent: event: %w", err)
	}
	decode, ok := decoders[w.Type]
	if !ok {
		return fmt.Errorf("agent: unknown event type %q", w.Type)
	}
	p, err := decode(w.Data)
	if err != nil {
		return fmt.Errorf("agent: event %s: %w", w.Type, err)
	}
	*e = Event{w.Seq, w.Session, w.Turn, w.At, p}
	return nil
}

func decodePayload[P Payload](raw []byte) (Payload, error) {
	var p P
	err := json.Unmarshal(raw, &p)
	return p, err
}

var decoders = map[string]func([]byte) (Payload, error){
	InputMessage{}.Name():      decodePayload[InputMessage],
	TurnStarted{}.Name():       decodePayload[TurnStarted],
	TurnCompleted{}.Name():     decodePayload[TurnCompleted],
	TurnFailed{}.Name():        decodePayload[TurnFailed],
	TurnCancelled{}.Name():     decodePayload[TurnCancelled],
	TurnSealed{}.Name():        decodePayload[TurnSealed],
	OutputDelta{}.Name():       decodePayload[OutputDelta],
	OutputCompleted{}.Name():   decodePayload[OutputCompleted],
	OutputReplaced{}.Name():    decodePayload[OutputReplaced],
	ReasoningDelta{}.Name():    decodePayload[ReasoningDelta],
	ToolStarted{}.Name():       decodePayload[ToolStarted],
	ToolProgress{}.Name():      decodePayload[ToolProgress],
	ToolOutput{}.Name():        decodePayload[ToolOutput],
	ToolRepaired{}.Name():      decodePayload[ToolRepaired],
	ToolCompleted{}.Name():     decodePayload[ToolCompleted],
	ApprovalRequested{}.Name(): decodePayload[ApprovalRequested],
	ApprovalResolved{}.Name():  decodePayload[ApprovalResolved],
	QuestionAsked{}.Name():     decodePayload[QuestionAsked],
	QuestionAnswered{}.Name():  decodePayload[QuestionAnswered],
	ContextCompacting{}.Name(): decodePayload[ContextCompacting],
	ContextCompacted{}.Name():  decodePayload[ContextCompacted],
	BudgetWarned{}.Name():      decodePayload[BudgetWarned],
	BudgetPaused{}.Name():      decodePayload[BudgetPaused],
	BudgetResumed{}.Name():     decodePayload[BudgetResumed],
	BudgetSealed{}.Name():      decodePayload[BudgetSealed],
	ModelGeneration{}.Name():   decodePayload[ModelGeneration],
	Notice{}.Name():            decodePayload[Notice],
	ComputerState{}.Name():     decodePayload[ComputerState],
	Lagged{}.Name():            decodePayload[Lagged],
}
