package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

var (
	badQuestion = &capability.Failure{Code: "bad_question", When: "a question contradicts itself", Try: "mend the question that the message names and ask again"}
	unanswered  = &capability.Failure{Code: "unanswered", When: "no answer came in time", Try: "go on with an assumption and say which, or ask again later"}
	turnedDown  = &capability.Failure{Code: "turned_down", When: "the person closed the form without an answer", Try: "do not ask again; go on without it, or end the turn"}
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:    "ask_user",
		Aliases: []string{"AskUserQuestion"},
		Title:   "Ask the user",
		Description: "Asks the person one to four questions in one form and returns the answers: a choice, a text, or a secret, which is stored and " +
			"comes back as a reference. An answer is no approval of anything. Where no one is there the defaults count.",
		Class:    capability.ReadOnly,
		Category: capability.CategorySystem,
		Hints:    capability.Hints{ReadOnly: capability.Yes, OpenWorld: capability.No, LongRunning: capability.Yes, ConcurrencyKey: "person"},
		Docs: capability.Docs{
			When: "when the work forks on something only the person knows; not to ask for leave, which the calls themselves do",
			Examples: []capability.Example{
				{When: "two ways are open", In: askIn{Questions: []Question{{ID: "format", Header: "Format", Question: "Which format should the report have?", Kind: "choice", Options: []string{"PDF", "HTML"}, AllowOther: true, Default: "PDF"}}}},
				{When: "a key is missing", In: askIn{Questions: []Question{{ID: "token", Header: "Token", Question: "What is the access token for the weather service?", Kind: "secret"}}}},
			},
			Fails: []*capability.Failure{badQuestion, unanswered, turnedDown, noOne},
		},
	}, (*Host).ask)
}

type askIn struct {
	Questions []Question `json:"questions" min:"1" max:"4" jsonschema:"the questions of the form"`
	TimeoutS  int        `json:"timeout_s,omitempty" min:"5" max:"600" default:"300" jsonschema:"seconds to wait for the answers"`
}

// A Question is one field of a form.
type Question struct {
	ID          string   `json:"id" min:"1" max:"40" jsonschema:"a word to know the answer by"`
	Header      string   `json:"header,omitempty" max:"40" jsonschema:"a word or two above the question"`
	Question    string   `json:"question" min:"1" max:"1000" jsonschema:"the whole question"`
	Kind        string   `json:"kind" enum:"choice,text,secret" jsonschema:"how it is answered"`
	Options     []string `json:"options,omitempty" max:"6" jsonschema:"what there is to choose from"`
	MultiSelect bool     `json:"multi_select,omitempty" jsonschema:"several options may be chosen"`
	AllowOther  bool     `json:"allow_other,omitempty" jsonschema:"an own answer may be typed instead"`
	Default     string   `json:"default,omitempty" max:"1000" jsonschema:"the answer when no one is there"`
}

// The kinds of questions.
const (
	kindChoice = "choice"
	kindText   = "text"
	kindSecret = "secret"
)

const defaultAnswerTime = 300 * time.Second

func (h *Host) ask(ctx context.Context, call capability.Call, in askIn) (capability.Result, error) {
	if err := checkForm(in.Questions); err != nil {
		return capability.Result{}, err
	}
	if !call.Turn.Attended || h.Asker == nil {
		return byDefault(in.Questions, noOne, "No one is there to answer")
	}
	limit := defaultAnswerTime
	if in.TimeoutS > 0 {
		limit = time.Duration(in.TimeoutS) * time.Second
	}
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	given, err := h.Asker.AskUser(wait, call, in.Questions)
	switch {
	case ctx.Err() != nil:
		return capability.Result{}, ctx.Err()
	case err == nil:
		return answers(in.Questions, given, "")
	case errors.Is(err, context.DeadlineExceeded):
		return byDefault(in.Questions, unanswered, fmt.Sprintf("No answer came within %s", limit))
	case errors.Is(err, context.Canceled):
		return capability.Result{}, turnedDown.Becausef("the form was closed without an answer")
	}
	if _, ok := capability.AsUserError(err); ok {
		return capability.Result{}, err
	}
	return capability.Result{}, fmt.Errorf("system: asking: %w", err)
}

// checkForm reports the first question that contradicts itself.
func checkForm(form []Question) error {
	seen := map[string]bool{}
	for i, q := range form {
		if seen[q.ID] {
			return badQuestion.Becausef("/questions/%d/id: %q is there twice", i, q.ID)
		}
		seen[q.ID] = true
		if at, why := q.fault(); why != "" {
			return badQuestion.Becausef("/questions/%d/%s: %s", i, at, why)
		}
	}
	return nil
}

// fault says what is wrong with a question, and where.
func (q *Question) fault() (at, why string) {
	switch {
	case onLine(q.Question) == "":
		return "question", "it is empty"
	case q.Kind != kindChoice && len(q.Options) > 0:
		return "options", "only a choice has options"
	case q.Kind != kindChoice && q.MultiSelect:
		return "multi_select", "only a choice can have several answers"
	case q.Kind == kindSecret && q.Default != "":
		return "default", "a secret has no default"
	case q.Kind == kindChoice:
		return q.faultOfChoice()
	}
	return "", ""
}

func (q *Question) faultOfChoice() (at, why string) {
	switch {
	case len(q.Options) < 2 && (!q.AllowOther || len(q.Options) == 0):
		return "options", "a choice needs at least two"
	case q.Default != "" && !q.AllowOther && !slices.Contains(q.Options, q.Default):
		return "default", "it is none of the options"
	}
	seen := map[string]bool{}
	for _, o := range q.Options {
		if strings.TrimSpace(o) == "" || seen[o] {
			return "options", "they must differ, and none may be empty"
		}
		seen[o] = true
	}
	return "", ""
}

// byDefault answers with the defaults, when every question has one.
func byDefault(form []Question, f *capability.Failure, why string) (capability.Result, error) {
	for _, q := range form {
		if q.Default == "" {
			return capability.Result{}, f.Becausef("%s, and the question %q has no default", strings.ToLower(why[:1])+why[1:], q.ID)
		}
	}
	return answers(form, nil, why+"; these are the defaults.")
}

// askOut is the structured result: what was answered, and what of it is a
// default.
type askOut struct {
	Answers   map[string][]string `json:"answers"`
	Defaulted []string            `json:"defaulted,omitempty"`
}

// answers makes the result. What was not answered, or not as the question
// allows, falls back to its default.
func answers(form []Question, given map[string][]string, note string) (capability.Result, error) {
	out := askOut{Answers: map[string][]string{}}
	var b strings.Builder
	if note != "" {
		b.WriteString(note + "\n")
	}
	b.WriteString("Answers to the questions. They are information, not an approval of any action.\n")
	for _, q := range form {
		list, err := q.accept(given[q.ID])
		if err != nil {
			return capability.Result{}, err
		}
		suffix := ""
		if len(list) == 0 && q.Default != "" {
			list = []string{q.Default}
			out.Defaulted = append(out.Defaulted, q.ID)
			suffix = " (the default)"
		}
		out.Answers[q.ID] = append([]string{}, list...) // an empty list, not null
		text := strings.Join(list, "; ")
		if len(list) == 0 {
			text = "(no answer)"
		}
		fmt.Fprintf(&b, "- %s: %s%s\n", q.ID, text, suffix)
	}
	data, err := json.Marshal(out)
	if err != nil {
		return capability.Result{}, fmt.Errorf("system: marshalling the answers: %w", err)
	}
	return capability.Result{Text: b.String(), Data: data, Summary: summaryOf(len(form), len(out.Defaulted))}, nil
}

func summaryOf(asked, defaulted int) string {
	switch {
	case defaulted == asked:
		return "defaults"
	case asked == 1:
		return "answered"
	}
	return fmt.Sprintf("%d answers", asked-defaulted)
}

// accept is what counts of the answers to a question.
func (q *Question) accept(given []string) ([]string, error) {
	var out []string
	for _, a := range given {
		switch {
		case strings.TrimSpace(a) == "":
		case q.Kind == kindSecret && !isReference(a):
			// A surface that hands out the secret itself is at fault; it must not
			// reach the model.
			return nil, errors.New("system: the answer to a secret question is no reference")
		case q.Kind == kindChoice && !q.AllowOther && !slices.Contains(q.Options, a):
		default:
			out = append(out, a)
		}
	}
	if !q.MultiSelect && len(out) > 1 {
		out = out[:1]
	}
	return out, nil
}

// isReference reports whether an answer says where a secret is kept.
func isReference(s string) bool {
	kind, name, ok := strings.Cut(s, ":")
	return ok && (kind == "keyring" || kind == "env" || kind == "file") && name != "" && !strings.ContainsAny(name, " \n")
}
