// Package builder makes an agent of parts, for programs that bring their own
// tools: instructions, a model, functions, definitions and references (see
// package capability), and whoever agrees to calls. [Build] checks all of it
// and names everything that is wrong, or returns an agent that is whole.
//
// Nothing of the desktop program comes along: no store, no settings, no tools
// but those that are given. Conversations are kept in memory unless a journal
// is given.
package builder
