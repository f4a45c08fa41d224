package openai

import (
	"encoding/json"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// A responsesEvent is one document of an answer, with the fields of all events.
type responsesEvent struct {
	Type         string          `json:"type"`
	Delta        json.RawMessage `json:"delta"`
	SummaryIndex int             `json:"summary_index"`
	Item         *outputItem     `json:"item"`
	Response     *response       `json:"response"`
}

type response struct {
	Object     string          `json:"object"`
	Status     string          `json:"status"`
	Model      string          `json:"model"`
	Output     []outputItem    `json:"output"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *responsesUsage `json:"usage"`
}

type outputItem struct {
	ID        string        `json:"id"`
	Type      string        `json:"type"`
	Status    string        `json:"status"`
	Content   []outputPiece `json:"content"`
	Summary   []outputPiece `json:"summary"`
	Encrypted string        `json:"encrypted_content"`
	CallID    string        `json:"call_id"`
	Name      string        `json:"name"`
	Arguments string        `json:"arguments"`
	Namespace string        `json:"namespace"`

	Action  json.RawMessage       `json:"action"` // of a call of the hosted computer
	Actions []json.RawMessage     `json:"actions"`
	Checks  []provider.SafetyNote `json:"pending_safety_checks"`

	raw json.RawMessage // of an entry of a search
}

type outputPiece struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

type responsesUsage struct {
	Input        int `json:"input_tokens"`
	Output       int `json:"output_tokens"`
	InputDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// A responsesDecoder puts an answer together.
type responsesDecoder struct {
	provider string
	computer *provider.Computer // what calls of the hosted tool are calls of; nil: there is none
	screen   provider.Screen    // what their points are of
	preview  bool               // its older version: it was told the size of the screen

	emitted map[string]bool // ids of items that were given out
	unnamed int             // items given out that had no id
	final   *response
	calls   bool
	refused bool
	shown   strings.Builder // text that no whole item has brought yet
}

// Frame implements [provider.Decoder].
func (d *responsesDecoder) Frame(name string, doc []byte, whole bool) (events []provider.Event, done bool, err error) {
	if name == provider.StreamDone {
		return nil, true, nil
	}
	if whole {
		return d.entire(doc)
	}
	var e responsesEvent
	_ = json.Unmarshal(doc, &e) // fields of another type than usual are passed over
	if e.Type == "" {
		e.Type = name
	}
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		d.shown.WriteString(jsonText(e.Delta))
		return textDelta(jsonText(e.Delta)), false, nil
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return thoughtDelta(jsonText(e.Delta)), false, nil
	case "response.reasoning_summary_part.added":
		if e.SummaryIndex > 0 {
			return thoughtDelta("\n\n"), false, nil
		}
	case "response.output_item.done":
		if e.Item != nil {
			return d.item(*e.Item), false, nil
		}
	case "response.completed", "response.incomplete", "response.failed":
		return d.finish(e.Response)
	case "error":
		return nil, true, provider.ParseFault(doc).Error(d.provider)
	}
	return nil, false, nil
}

func textDelta(s string) []provider.Event {
	if s == "" {
		return nil
	}
	return []provider.Event{provider.TextDelta(s)}
}

func thoughtDelta(s string) []provider.Event {
	if s == "" {
		return nil
	}
	return []provider.Event{provider.ReasoningDelta(s)}
}

// entire reads an answer that was not streamed.
func (d *responsesDecoder) entire(doc []byte) (events []provider.Event, done bool, err error) {
	var r response
	if err := json.Unmarshal(doc, &r); err != nil || r.Status == "" {
		if len(r.Error) > 0 && string(r.Error) != "null" {
			return nil, true, provider.ParseFault(r.Error).Error(d.provider)
		}
		return nil, true, provider.NotUnderstood(d.provider, err)
	}
	for _, it := range r.Output {
		if it.Type == "reasoning" {
			events = append(events, thoughtDelta(join(it.Summary, it.Content))...)
			continue
		}
		for _, p := range it.Content {
			events = append(events, textDelta(p.Text+p.Refusal)...)
		}
	}
	more, done, err := d.finish(&r)
	return append(events, more...), done, err
}

// finish takes in the closing event, with the items that no event of their own
// brought.
func (d *responsesDecoder) finish(r *response) ([]provider.Event, bool, error) {
	if r == nil {
		return nil, true, provider.NotUnderstood(d.provider, nil)
	}
	if len(r.Error) > 0 && string(r.Error) != "null" {
		return nil, true, provider.ParseFault(r.Error).Error(d.provider)
	}
	if r.Status == "failed" {
		return nil, true, provider.Fault{}.Error(d.provider)
	}
	d.final = r
	var events []provider.Event
	unnamed := 0
	for _, it := range r.Output {
		if it.ID == "" {
			unnamed++
			if unnamed <= d.unnamed {
				continue
			}
		}
		events = append(events, d.item(it)...)
	}
	return events, true, nil
}

// item gives out a whole item once.
func (d *responsesDecoder) item(it outputItem) []provider.Event {
	if it.ID != "" && d.emitted[it.ID] {
		return nil
	}
	if it.ID == "" {
		d.unnamed++
	}
	d.emitted[it.ID] = true
	switch it.Type {
	case "message":
		return d.message(it)
	case "reasoning":
		return []provider.Event{provider.PartDone{Part: provider.Reasoning{
			Text: join(it.Summary, it.Content), ID: it.ID, Encrypted: it.Encrypted, Provider: d.provider,
		}}}
	case searchCall, searchOutput:
		return d.searched(it)
	case computerCall:
		return d.computerCalls(it)
	case "function_call":
		cut := it.Status == "incomplete" || d.final != nil && d.final.Status == "incomplete"
		if cut && !complete(it.Arguments) {
			return nil // ended at the limit: half a call must not be mended and run
		}
		d.calls = true
		return []provider.Event{provider.PartDone{Part: provider.ToolCall{
			ID: it.CallID, Name: it.Name, Args: it.Arguments, ItemID: it.ID, Namespace: it.Namespace,
		}}}
	}
	return nil
}

func (d *responsesDecoder) message(it outputItem) []provider.Event {
	var text strings.Builder
	for _, p := range it.Content {
		text.WriteString(p.Text)
		if p.Refusal != "" {
			d.refused = true
			text.WriteString(p.Refusal)
		}
	}
	if text.Len() == 0 {
		return nil
	}
	d.shown.Reset()
	return []provider.Event{provider.PartDone{Part: provider.Text{Text: text.String()}}}
}

// join is the summary of reasoning, or its text where there is no summary.
func join(summary, content []outputPiece) string {
	if len(summary) == 0 {
		summary = content
	}
	texts := make([]string, len(summary))
	for i, p := range summary {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n\n")
}

// End implements [provider.Decoder].
func (d *responsesDecoder) End() ([]provider.Event, error) {
	if d.final == nil {
		return nil, provider.Broken(d.provider, nil)
	}
	var events []provider.Event
	if d.shown.Len() > 0 {
		events = append(events, provider.PartDone{Part: provider.Text{Text: d.shown.String()}})
	}
	done := provider.Done{Stop: d.stop(), Model: d.final.Model}
	if u := d.final.Usage; u != nil {
		done.Usage = provider.Usage{
			Input: u.Input, Output: u.Output,
			CachedInput: u.InputDetails.Cached, Reasoning: u.OutputDetails.Reasoning,
		}
	}
	return append(events, done), nil
}

func (d *responsesDecoder) stop() provider.Stop {
	switch {
	case d.final.Incomplete.Reason == "content_filter" || d.refused:
		return provider.StopRefused
	case d.final.Status == "incomplete":
		return provider.StopLength
	case d.calls:
		return provider.StopTools
	}
	return provider.StopEnd
}
