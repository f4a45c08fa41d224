package permission

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
)

// A Decision is how a question ended.
type Decision string

// The decisions. The last three are nobody's answer.
const (
	Once        Decision = "once"
	ForSession  Decision = "session"
	Always      Decision = "always"
	DenyOnce    Decision = "deny"
	DenyAlways  Decision = "deny_always"
	Cancelled   Decision = "cancelled"   // the question was closed, or its turn stopped
	Expired     Decision = "expired"     // no one answered in time
	Unavailable Decision = "unavailable" // there is no one to ask
)

// answers are the decisions that a surface may give.
var answers = []Decision{Once, ForSession, Always, DenyOnce, DenyAlways, Cancelled}

// An Answer is a decision and whose it was: the surface, or the person.
type Answer struct {
	Decision Decision
	By       string
}

// An Asker puts a question to a person and waits for the answer. An error means
// that the question could not be put; silence is the decision Expired.
type Asker interface {
	Ask(ctx context.Context, turn capability.Turn, req agent.ApprovalRequested) (Answer, error)
}

// The ways an answer is not taken.
var (
	NoRequest   = &capability.Failure{Code: "no_request", When: "no question with that id waits for an answer", Try: "look at the questions that wait"}
	Answered    = &capability.Failure{Code: "already_answered", When: "the question was answered already, or has expired", Try: "nothing more is to be done"}
	OtherCall   = &capability.Failure{Code: "other_call", When: "the answer is for another call than the question", Try: "read the question again and answer that"}
	BadDecision = &capability.Failure{Code: "bad_decision", When: "the decision is none that can be given here", Try: "answer with once, session, always, deny, deny_always or cancelled"}
)

// QuestionTimeout is how long a person has, unless a Broker says otherwise.
const QuestionTimeout = 5 * time.Minute

// A Broker keeps questions until they are answered. Its fields are set before
// the first question. It starts no goroutines.
type Broker struct {
	Timeout time.Duration // for one question; default QuestionTimeout

	// OnRequest and OnResolve are told of each question and of its end, so that
	// every surface can show it and withdraw it. They must not block for long.
	OnRequest func(capability.Turn, agent.ApprovalRequested)
	OnResolve func(capability.Turn, agent.ApprovalResolved)

	mu      sync.Mutex
	waiting map[string]*question
	order   []string // ids of those that wait, the oldest first
	past    []string // ids of the last that ended
}

var _ Asker = (*Broker)(nil)

const keptPast = 512

type question struct {
	turn   capability.Turn
	req    agent.ApprovalRequested
	answer chan Answer // one slot; whoever takes the question off the list fills it
}

// A Waiting is a question that has no answer yet.
type Waiting struct {
	Turn    capability.Turn
	Request agent.ApprovalRequested
}

// Ask puts a question and waits until it is answered, expires, or ctx ends.
func (b *Broker) Ask(ctx context.Context, turn capability.Turn, req agent.ApprovalRequested) (Answer, error) {
	if ctx.Err() != nil {
		return Answer{Decision: Cancelled}, ctx.Err()
	}
	timeout := b.Timeout
	if timeout <= 0 {
		timeout = QuestionTimeout
	}
	req.ID = rand.Text()
	req.Expires = time.Now().Add(timeout)
	q := &question{turn: turn, req: req, answer: make(chan Answer, 1)}
	b.put(q)
	if b.OnRequest != nil {
		b.OnRequest(turn, req)
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var ans Answer
	select {
	case ans = <-q.answer:
	case <-timer.C:
		ans = b.end(q, Expired)
	case <-ctx.Done():
		ans = b.end(q, Cancelled)
	}
	if b.OnResolve != nil {
		b.OnResolve(turn, agent.ApprovalResolved{ID: req.ID, Call: req.Call, Decision: string(ans.Decision), By: ans.By})
	}
	return ans, nil
}

func (b *Broker) put(q *question) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = map[string]*question{}
	}
	b.waiting[q.req.ID] = q
	b.order = append(b.order, q.req.ID)
}

// take removes a question from the list. Only one caller gets true.
func (b *Broker) take(id string) bool {
	if _, ok := b.waiting[id]; !ok {
		return false
	}
	delete(b.waiting, id)
	b.order = slices.DeleteFunc(b.order, func(o string) bool { return o == id })
	b.past = append(b.past, id)
	b.past = b.past[max(0, len(b.past)-keptPast):]
	return true
}

// end ends a question without an answer. When an answer came first, it counts.
func (b *Broker) end(q *question, d Decision) Answer {
	b.mu.Lock()
	taken := b.take(q.req.ID)
	b.mu.Unlock()
	if taken {
		return Answer{Decision: d}
	}
	return <-q.answer
}

// Answer answers the question with that id. The fingerprint must be that of
// the question. The first answer wins; every other one is an error: a
// [capability.UserError] of NoRequest, Answered, OtherCall or BadDecision.
func (b *Broker) Answer(id, fingerprint string, d Decision, by string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, ok := b.waiting[id]
	switch {
	case !ok && slices.Contains(b.past, id):
		return Answered.Becausef("the question was answered already, or has expired")
	case !ok:
		return NoRequest.Becausef("no question %q waits for an answer", Escape(capability.CutText(id, 64)))
	case subtle.ConstantTimeCompare([]byte(fingerprint), []byte(q.req.Fingerprint)) != 1:
		return OtherCall.Becausef("the answer is not for this call of %s", q.req.Tool)
	case !slices.Contains(answers, d):
		return BadDecision.Becausef("%q is no answer to this question", Escape(string(d)))
	case d == Always && q.req.Rule == "":
		return BadDecision.Becausef("this call cannot be allowed for always").Trying("answer once or session")
	case !time.Now().Before(q.req.Expires):
		return Answered.Becausef("the question has expired")
	}
	b.take(id)
	q.answer <- Answer{Decision: d, By: by}
	return nil
}

// Pending lists the questions that wait, the oldest first.
func (b *Broker) Pending() []Waiting {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Waiting, 0, len(b.order))
	for _, id := range b.order {
		q := b.waiting[id]
		out = append(out, Waiting{Turn: q.turn, Request: q.req})
	}
	return out
}
