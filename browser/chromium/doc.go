// Package chromium finds a Chromium on this machine, starts it so that it can
// always be ended, and ends it.
//
//	Find ─► Binary ─┐
//	OpenProfile ────┼─► Start ─► Process: a cdp.Conn over a pipe, no port
//	flags ──────────┘
//
// The browser is found, not bundled. It runs in a process group of its own, is
// spoken to over a pipe that no other program can reach, and ends when that pipe
// or this program does. A profile has one user at a time: we hold a lock on it,
// because a second Chromium would hand its work over to the first and leave. The
// browser's own sandbox stays on unless this program runs as root.
//
// It imports of ours core/capability, core/process and browser/cdp.
package chromium
