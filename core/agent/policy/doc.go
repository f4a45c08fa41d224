// Package policy holds the built-in judgements of a turn, each a small value
// that knows nothing of the loop: when a conversation is too long and what of
// it is left out (compact.go), and when a model goes in circles (loop.go).
package policy
