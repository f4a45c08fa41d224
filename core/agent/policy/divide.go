package policy

import (
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// A Division is a conversation in two: what can be summed up, and what stays
// word for word. No call is parted from its results.
type Division struct {
	Covered []provider.Message // what a summary stands for
	Tail    []provider.Message // what stays as it is

	first, task *provider.Message // messages of the user in Covered that stay too
}

// Divide parts a conversation so that about tail tokens at its end stay, and
// the last step always. Task is the index of the turn's own message; it stays,
// as does the first message of all. Ok is false when there is nothing to sum up.
func Divide(history []provider.Message, task, tail int) (d Division, ok bool) {
	at := cut(history, tail)
	d = Division{Covered: history[:at], Tail: history[at:]}
	if f := first(history); f >= 0 && f < at {
		d.first = &history[f]
	}
	if task >= 0 && task < at && history[task].Role == provider.RoleUser && (d.first == nil || &history[task] != d.first) {
		d.task = &history[task]
	}
	kept := 0
	for _, m := range []*provider.Message{d.first, d.task} {
		if m != nil {
			kept++
		}
	}
	return d, at > kept
}

// cut returns where the tail begins: never at results, whose calls would be
// parted from them, and never behind the last step.
func cut(history []provider.Message, tail int) int {
	at, size := len(history), 0
	for i, m := range slices.Backward(history) {
		size += Tokens(history[i : i+1])
		if size > tail && at < len(history) {
			break
		}
		if m.Role != provider.RoleTool {
			at = i
		}
	}
	return at
}

// Join puts a text in place of what is covered, and behind it what is kept as
// it stands. It returns the conversation and the new index of the turn's own
// message, which was task before.
func (d Division) Join(text string, kept []string, task int) (history []provider.Message, newTask int) {
	add := func(m *provider.Message) {
		if m != nil {
			history = append(history, change(*m, unseen))
		}
	}
	add(d.first)
	summary := provider.Message{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: SummaryPrefix + text}}}
	for _, k := range kept {
		summary.Parts = append(summary.Parts, provider.Text{Text: k})
	}
	if slices.ContainsFunc(d.Covered, ReadOutside) {
		summary.Parts = append(summary.Parts, provider.Text{Text: outsideNote})
	}
	history = append(history, summary)
	add(d.task)
	switch {
	case task >= len(d.Covered):
		newTask = task - len(d.Covered) + len(history)
	case d.task != nil:
		newTask = len(history) - 1
	default:
		newTask = 0
	}
	return append(history, d.Tail...), newTask
}

// unseen leaves out the pictures of a message that is kept for its words.
func unseen(p provider.Part) (provider.Part, bool) {
	if _, ok := p.(provider.Image); ok {
		return provider.Text{Text: imageLeftOut}, true
	}
	return p, false
}

// SummaryPrefix begins the message that stands for what was left out.
const SummaryPrefix = "[A part of this conversation that stood here was left out, because it no longer fits. What it came to:]\n\n"

// earlier returns the text of an earlier summary in a message, if it is one.
func earlier(m provider.Message) (string, bool) {
	if m.Role != provider.RoleUser || len(m.Parts) == 0 {
		return "", false
	}
	t, ok := m.Parts[0].(provider.Text)
	if !ok {
		return "", false
	}
	return strings.CutPrefix(t.Text, SummaryPrefix)
}

// Native is Join with the provider's own item in front: it stands for what is
// covered at that provider, and the text at every other.
func (d Division) Native(item provider.Reasoning, text string, kept []string, task int) (history []provider.Message, newTask int) {
	history, newTask = d.Join(text, kept, task)
	at := 1
	if d.first == nil {
		at = 0
	}
	history = slices.Insert(history, at+1, provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{item, provider.Text{Text: "I go on from here."}}})
	if newTask > at {
		newTask++
	}
	return history, newTask
}
