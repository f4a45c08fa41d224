// Package cdp speaks the Chrome DevTools Protocol: one connection to a browser,
// and on it a flat tree of sessions, one for each page, frame of another origin
// and worker.
//
//	Transport ─► reader ─► reply: the call that waits for it
//	                   └─► event: the handlers of its session, in order
//	calls ─► queue ─► writer ─► Transport
//
// Three ideas hold it. Every call races its answer against the end of its
// context, of its session and of the connection, so none waits for ever.
// Handlers run on the reader's goroutine: they see events in order, note what
// happened and return at once, so no queue can grow; they may [Session.Post] but
// never [Session.Call]. And a session that cannot answer, because a dialog is
// open or its renderer has died, is interrupted: what waits fails with the
// reason, see [Session.Interrupt].
//
// Types of the protocol come from cdproto where a caller likes them; params and
// results are whatever encoding/json makes of a value. It imports nothing else
// of ours.
package cdp
