// Package lazy puts work off from the start of the program to its first use: most
// runs need little of what all of them together do.
//
// It imports nothing of this module.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp is [regexp.MustCompile] when the result is first asked for. It panics
// then, and every time, where the expression is wrong: a test must use it.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
