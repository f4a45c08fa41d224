// Package helper starts and supervises hobkin-helper, the program that touches
// the screen, the mouse and the keyboard, and speaks to it.
//
//	Client ──► Helper ──► line ──► stdin  ┐
//	             ▲                        │ hobkin-helper
//	             └── answers, events ◄────┘ stdout; stderr apart
//
// A [Helper] starts the program when it is first asked for something, and again
// when it has ended; [Client] has a typed method for every request. A helper
// that hangs, crashes, answers what is no answer or is of another version costs
// one failed request, never more. [Find] says which program it is, and
// [Install] fetches it where it is missing.
package helper
