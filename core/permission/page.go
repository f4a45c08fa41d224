package permission

import (
	"net/url"

	"github.com/hobkin/hobkin/core/capability"
)

// effect is what a call says that it does to a page. Only the word of our own
// tools counts.
func (s *subject) effect() capability.Effect {
	if s.tool.Kind != capability.KindBuiltin {
		return ""
	}
	return s.preview.Effect
}

// gentle reports whether a call of a tool that acts on pages does no more there
// than the tools that only look: it sends nothing that was put together for it.
// Whether what was read may speak through it is judged before, see
// [Gate.byReading].
func (s *subject) gentle() bool {
	switch s.effect() {
	case capability.EffectLook, capability.EffectOpen, capability.EffectUse, capability.EffectEnter:
		return !s.preview.Alone
	case capability.EffectSend:
	}
	return false
}

// pageReach says what a call on a page would do with what was read; known is
// false for other calls, and for those that open an address, which are judged by
// that.
//
// Words that are typed into a page can be passed on by it as they are typed, so
// that they count as sent, but to a host that the person named.
func (s *subject) pageReach(t *Taint) (does string, known bool) {
	switch s.effect() {
	case capability.EffectLook, capability.EffectUse:
		return "", !s.preview.Alone
	case capability.EffectEnter:
		if t.named(s.call.Turn, s.preview.URL) {
			return "", true
		}
		return "it types into a page of " + s.pageHost() + ", which may pass it on", true
	case capability.EffectSend:
		return "it sends something to " + s.pageHost(), true
	case capability.EffectOpen:
	}
	return "", false
}

// pageHost names the host of the page that a call is about, for people.
func (s *subject) pageHost() string {
	if u, err := url.Parse(s.preview.URL); err == nil && u.Host != "" {
		return Escape(u.Host)
	}
	return "a web page"
}

// named reports whether a person named the host of an address.
func (t *Taint) named(turn capability.Turn, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reading(turn).hosts[normalHost(u.Host)]
}
