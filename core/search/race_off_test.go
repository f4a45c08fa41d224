//go:build !race

package search

const sizes = 8
