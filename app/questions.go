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
	"github.com/hobkin/hobkin/core/permission"
)

// questions holds the forms that wait for a person. The first answer wins.
type questions struct {
	publish func(ctx context.Context, session, turn string, p agent.Payload) error

	mu      sync.Mutex
	waiting map[string]chan control.QuestionAnswer
}

// ask shows a form and waits for the answer, until ctx or the time ends.
func (q *questions) ask(ctx context.Context, call capability.Call, form []agent.Question, limit time.Duration) (map[string][]string, error) {
	form, written := shownForm(form)
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
		return written.back(a.Answers), nil
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

// spellings are the options of questions as those who ask wrote them, by the
// question's id and what was shown.
type spellings map[string]map[string]string

// shownForm is a form as it is shown on every surface: what a model or a server
// wrote in it steers no terminal and hides nothing.
func shownForm(form []agent.Question) ([]agent.Question, spellings) {
	out, written := make([]agent.Question, 0, len(form)), spellings{}
	for _, q := range form {
		options := make([]string, 0, len(q.Options))
		for _, o := range q.Options {
			shown := permission.Escape(o)
			options = append(options, shown)
			if shown == o {
				continue
			}
			if written[q.ID] == nil {
				written[q.ID] = map[string]string{}
			}
			written[q.ID][shown] = o
		}
		if q.Options != nil {
			q.Options = options
		}
		q.Header, q.Question, q.Default = permission.Escape(q.Header), permission.Escape(q.Question), permission.Escape(q.Default)
		out = append(out, q)
	}
	return out, written
}

// back puts the options that were chosen as they were written.
func (w spellings) back(answers map[string][]string) map[string][]string {
	for id, list := range answers {
		for i, a := range list {
			if o, ok := w[id][a]; ok {
				list[i] = o
			}
		}
	}
	return answers
}
