package policy

import (
	"cmp"

	"github.com/hobkin/hobkin/core/provider"
)

// Defaults of compaction.
const (
	Full       = 0.85    // of the window: above it a conversation is shortened
	Goal       = 0.50    // of the window: what it is shortened to
	enough     = 0.75    // of the window: after a summary so much is few enough
	tailShare  = 0.20    // of the window: what stays word for word behind a summary
	growFactor = 1.05    // a futile compaction is not tried again until so much growth
	growTokens = 4096    // and so many tokens more
	most       = 2 << 20 // tokens of a conversation that is kept at hand, however large a window is
	MaxRequest = 30 << 20
)

// A Compactor judges when a conversation is too long, and whether shortening
// it helped. The zero Compactor knows no window.
//
//	masking → native → summary → trim, the first that is enough
type Compactor struct {
	Compaction
	Window int // tokens of the model; 0 when unknown

	futile int // tokens at which shortening did not help; 0: it did, or was not tried
}

// A Report says what a compaction did, in estimated tokens.
type Report struct {
	Before, After int
	Method        string // masking, native, summary or trim; empty when nothing could be left out
}

func (c *Compactor) window() int {
	if c.Window <= 0 || c.Window > most {
		return most
	}
	return c.Window
}

// IsFull reports whether so many tokens nearly fill the window.
func (c *Compactor) IsFull(tokens int) bool { return tokens > c.share(cmp.Or(c.Full, Full)) }

func (c *Compactor) share(part float64) int { return int(part * float64(c.window())) }

// Due reports whether a request of that many tokens should be shortened first.
func (c *Compactor) Due(tokens int) bool {
	if c.Off || !c.IsFull(tokens) {
		return false
	}
	return c.futile == 0 || float64(tokens) > float64(c.futile)*growFactor+growTokens
}

// Shorter is how many tokens a request of so many is shortened to. An emergency,
// after a provider refused it, does not trust the estimate.
func (c *Compactor) Shorter(before int, emergency bool) int {
	goal := c.share(cmp.Or(c.Goal, Goal))
	if emergency {
		return min(goal, int(Goal*float64(before)))
	}
	return goal
}

// Enough is how many tokens are few enough after a summary, where the goal is
// so many: a summary is dear, so that it may end a little above. It is below
// where the conversation would count as full again.
func (c *Compactor) Enough(goal int) int {
	return min(int(enough/Goal*float64(goal)), c.share(0.9*cmp.Or(c.Full, Full)))
}

// Tail is how many tokens at the end stay word for word where the rest is
// summed up.
func (c *Compactor) Tail(before int, emergency bool) int {
	tail := c.share(tailShare)
	if emergency {
		return min(tail, int(tailShare*float64(before)))
	}
	return tail
}

// Judge takes in what a compaction came to. One that did not make the
// conversation smaller, or not small enough, is futile: it is not tried again
// before the conversation has grown, so that it never goes round in circles.
func (c *Compactor) Judge(r Report) {
	c.futile = 0
	if r.After >= r.Before || c.Due(r.After) {
		c.futile = r.After
	}
}

// Futile reports whether the last compaction did not help.
func (c *Compactor) Futile() bool { return c.futile > 0 }

// Limits are what one request can carry of a conversation, whatever is in it.
type Limits struct {
	Result int // bytes of one result; 0 means any
	Images int // bytes of all images; 0 means 20 MB
}

const maxImages = 20 << 20

// Share is what one result may have in bytes: a quarter of the window.
func (c *Compactor) Share() int {
	if c.Window <= 0 {
		return 0
	}
	return c.window() / 4 * bytesPerToken
}

// CutShare is what one result may have after a provider refused a request that
// cannot be made shorter otherwise.
func CutShare(goal int) int { return max(goal*bytesPerToken/8, maskOver) }

// first returns the index of the first message of the user.
func first(history []provider.Message) int {
	for i, m := range history {
		if m.Role == provider.RoleUser {
			return i
		}
	}
	return -1
}
