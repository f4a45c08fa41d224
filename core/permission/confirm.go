package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/lazy"
)

// A Chat lets a person answer in a channel that carries nothing but text, with
// /confirm TOKEN or /deny TOKEN. Its Broker is set before the first use.
type Chat struct {
	Broker *Broker

	tokens Tokens
}

// Said is a message as it came in, with what the channel stamped on it.
type Said struct {
	Text         string
	Conversation string // such as the id of a chat
	Sender       string // who wrote it, as the channel knows them
	Provenance   capability.Provenance
}

// NotTyped is the failure of an answer that no person typed.
var NotTyped = &capability.Failure{
	Code: "not_typed", When: "the message was not typed by a person: a job, a page or a tool sent it",
	Try: "answer it yourself, in a window, a terminal or the chat you were asked in",
}

// Offer gives out a token for a question that waits, to be shown to its owner
// in one conversation. It is empty when the question does not wait any more.
func (c *Chat) Offer(request, conversation, owner string) string {
	if _, ok := c.waiting(request); !ok {
		return ""
	}
	return c.tokens.Issue(request, conversation, owner)
}

// Words are the two answers that a token is good for, for people.
func Words(token string) string {
	return fmt.Sprintf("Answer within a minute with /confirm %s or /deny %s", token, token)
}

// answerWords matches a message that is an answer and nothing else.
var answerWords = lazy.Regexp(`^/(confirm|deny)(?:\s+(\S+))?\s*$`)

// IsAnswer reports whether a message is /confirm or /deny: it is not meant for
// the model then.
func IsAnswer(text string) bool { return answerWords().MatchString(strings.TrimSpace(text)) }

// Take acts on a message that IsAnswer. It returns a sentence for the person,
// or one of the failures NotTyped, NoToken, OtherSender and those of
// [Broker.Answer].
func (c *Chat) Take(m Said) (reply string, err error) {
	words := answerWords().FindStringSubmatch(strings.TrimSpace(m.Text))
	switch {
	case words == nil:
		return "", NoToken.Becausef("this is no answer to a question").Trying("write /confirm TOKEN or /deny TOKEN, with the token you were shown")
	case !m.Provenance.MayAgree():
		return "", NotTyped.Becausef("a message that was not typed cannot answer a question")
	}
	request, err := c.tokens.Redeem(strings.ToUpper(words[2]), m.Conversation, m.Sender)
	if err != nil {
		return "", err
	}
	w, ok := c.waiting(request)
	if !ok {
		return "", Answered.Becausef("the question was answered already, or has expired")
	}
	decision, said := Once, "Allowed once: "
	if words[1] == "deny" {
		decision, said = DenyOnce, "Turned down: "
	}
	if err := c.Broker.Answer(request, w.Request.Fingerprint, decision, "chat: "+m.Sender); err != nil {
		return "", err
	}
	return said + w.Request.Title + ".", nil
}

func (c *Chat) waiting(request string) (Waiting, bool) {
	list := c.Broker.Pending()
	i := slices.IndexFunc(list, func(w Waiting) bool { return w.Request.ID == request })
	if i < 0 {
		return Waiting{}, false
	}
	return list[i], true
}
