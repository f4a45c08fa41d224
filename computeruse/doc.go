// Package computeruse is the agent's side of using the screen, the mouse and
// the keyboard.
//
//	computer_use (package tool) ──► Session ──► helper.Client ──► hobkin-helper
//	                                  │
//	        frames · courtesy · pause · owner · budget · which programs
//
// A [Session] decides whether an act may happen and what is said of it. It has
// three ideas:
//
//   - A model points at pixels of a picture that it was sent. [Frame] knows
//     which part of the desktop that picture showed; there is one function for
//     each way, and nothing is ever moved to where it would fit.
//   - A person comes first: their hands on the mouse, their pause, and the
//     programs that they did not agree to stop an act before it goes out.
//   - What went out is never said to have failed. A [Receipt] tells what is
//     known: delivered, no effect, unknown. What was refused is an error that
//     sent nothing.
//
// The package touches no screen itself and links no C: that is the helper's.
package computeruse
