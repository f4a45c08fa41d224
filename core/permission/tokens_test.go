package permission

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tokens Tokens
		word := tokens.Issue("q1", "chat", "owner")
		for name, c := range map[string]struct{ word, chat, sender string }{"another sender": {word, "chat", "guest"}, "another chat": {word, "other", "owner"}} {
			if _, err := tokens.Redeem(c.word, c.chat, c.sender); !errors.Is(err, OtherSender) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := tokens.Redeem("guess", "chat", "owner"); !errors.Is(err, NoToken) {
			t.Errorf("a guess: %v", err)
		}
		if got, err := tokens.Redeem(word, "chat", "owner"); err != nil || got != "q1" {
			t.Errorf("the owner: %q, %v", got, err)
		}
		if _, err := tokens.Redeem(word, "chat", "owner"); !errors.Is(err, NoToken) {
			t.Errorf("a second use: %v", err)
		}
		word = tokens.Issue("q2", "chat", "owner")
		<-time.After(TokenLife)
		if _, err := tokens.Redeem(word, "chat", "owner"); !errors.Is(err, NoToken) {
			t.Errorf("an old token: %v", err)
		}
	})
}

func TestTokensAreUsedOnce(t *testing.T) {
	var tokens Tokens
	word := tokens.Issue("q", "c", "o")
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := tokens.Redeem(word, "c", "o"); err == nil {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("used %d times", won.Load())
	}
	for range maxTokens * 2 {
		tokens.Issue("q", "c", "o")
	}
	if len(tokens.out) > maxTokens {
		t.Errorf("%d tokens are kept", len(tokens.out))
	}
}
