//go:build !unix

package search

const nonblock = 0
