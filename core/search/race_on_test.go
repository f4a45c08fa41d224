//go:build race

package search

// The race detector makes reading some ten times as slow: it reads less.
const sizes = 1
