package permission

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

// TokenLife is how long a token can be used.
const TokenLife = time.Minute

const maxTokens = 1024 // at once; the oldest goes first

// The ways a token is not taken.
var (
	NoToken     = &capability.Failure{Code: "no_token", When: "the token was never given out, was used, or is older than a minute", Try: "ask for a new one"}
	OtherSender = &capability.Failure{Code: "other_sender", When: "the token was given to someone else, or in another conversation", Try: "only the owner can answer, where they were asked"}
)

// Tokens lets an owner answer a question by a word in a chat. A token is good
// once, for a minute, in one conversation, from one person. The zero Tokens is
// ready to use.
type Tokens struct {
	mu  sync.Mutex
	out []token // the oldest first
}

type token struct {
	word, request, conversation, owner string
	ends                               time.Time
}

// Issue gives out a token for a question, to be shown to its owner.
func (t *Tokens) Issue(request, conversation, owner string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.out = slices.DeleteFunc(t.out, func(o token) bool { return !now.Before(o.ends) })
	t.out = t.out[max(0, len(t.out)-maxTokens+1):]
	word := rand.Text()[:10]
	t.out = append(t.out, token{word, request, conversation, owner, now.Add(TokenLife)})
	return word
}

// Redeem returns the question that a token is for and uses the token up. A
// wrong sender gets OtherSender and does not use it up.
func (t *Tokens) Redeem(word, conversation, sender string) (request string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.out, func(o token) bool { return o.word == word && time.Now().Before(o.ends) })
	if i < 0 {
		return "", NoToken.Becausef("the token is not, or no longer, good")
	}
	if one := t.out[i]; one.conversation != conversation || one.owner != sender {
		return "", OtherSender.Becausef("the token is for someone else")
	}
	request = t.out[i].request
	t.out = slices.Delete(t.out, i, i+1)
	return request, nil
}
