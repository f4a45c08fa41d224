package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
)

// questions holds the forms that wait for a person. The first answer wins.
type questions struct {
	publish func(ctx context.Context, session, turn string, p agent.Payload) error

	mu      sync.Mutex
	waiting map[string]chan control.QuestionAnswer
}

// ask shows a form and waits for the answer, until ctx or the time ends.
func (q *questions) ask(ctx context.Context, call capability.Call, form []agent.Question, limit time.Duration) (map[string][]string, error) {
	id := rand.Text()
	answered := make(chan control.QuestionAnswer, 1)
	q.mu.Lock()
	if q.waiting == nil {
		q.waiting = map[string]chan control.QuestionAnswer{}
	}
	q.waiting[id] = answered
	q.mu.Unlock()
	defer q.forget(id)

	asked := agent.QuestionAsked{ID: id, Call: call.ID, Questions: form, Expires: time.Now().Add(limit)}
	if err := q.publish(ctx, call.Turn.Session, call.Turn.ID, asked); err != nil {
		return nil, fmt.Errorf("app: asking: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var by string
	defer func() {
		_ = q.publish(context.WithoutCancel(ctx), call.Turn.Session, call.Turn.ID, agent.QuestionAnswered{ID: id, By: by})
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answered:
		by = a.By
		return a.Answers, nil
	}
}

// answer gives an answer to whoever asked.
func (q *questions) answer(a control.QuestionAnswer) error {
	q.mu.Lock()
	ch, ok := q.waiting[a.ID]
	delete(q.waiting, a.ID)
	q.mu.Unlock()
	if !ok {
		return &control.Error{Code: "not_waiting", Message: "that question was answered already, or its time is over"}
	}
	ch <- a // never blocks: one value, and the first answer took the entry
	return nil
}

func (q *questions) forget(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.waiting, id)
}
