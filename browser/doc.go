// Package browser is a supervised Chromium: one [Browser] for each profile, with
// tabs that outlive the process behind them.
//
//	Browser ─► instance: process, guard's proxy, root session ─► view of each tab
//	   │            └── watched: dead, hung, idle, too large ─► ended, started anew at the next use
//	   └─► Tab t1, t2, …: navigation, frames, dialogs, pictures, what happened
//
// Three ideas hold it. A [Tab] is what a caller holds; its view is the live side
// and comes and goes with the browser. State is kept by events, which only note
// what happened, and everything that waits, waits for a change of that state,
// for the end of its context and for the end of the view: nothing sleeps and
// nothing waits for ever. And the network is reached only through the guard's
// proxy; checks of addresses here give good messages and a second line, not the
// safety.
//
// It imports of ours browser/cdp, browser/chromium, browser/page (for the frames
// it hands over) and core.
package browser
