package process

import (
	"maps"
	"slices"
	"sync"
)

// A guard outlives a kill of this program. It is told what runs, a line each,
// and when its input ends it ends all that is left. It is started with the
// first command, and again should something have ended it.
//
//   - mark  a command with this mark is about to start
//   - pid   …and this is its process group
//   - mark, - pid  it has ended
type guard struct {
	mu   sync.Mutex
	in   guardInput
	live map[string]bool // what it has to know, should it be started again
}

// guardInput is what a guard reads; nil where there is none.
type guardInput interface {
	WriteString(line string) (int, error)
	Close() error
}

// theGuard is the one guard of this program.
var theGuard = guard{live: map[string]bool{}}

// add tells the guard of something that runs. Without a guard no command is
// started: it could outlive us.
func (g *guard) add(what string) error {
	if what == "" {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.live[what] = true
	if g.in != nil {
		if _, err := g.in.WriteString("+ " + what + "\n"); err == nil {
			return nil
		}
		_ = g.in.Close() // something has ended it
		g.in = nil
	}
	in, err := startGuard()
	if err != nil {
		delete(g.live, what)
		return err
	}
	g.in = in
	for _, one := range slices.Sorted(maps.Keys(g.live)) {
		if _, err := in.WriteString("+ " + one + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// drop tells the guard of what has ended.
func (g *guard) drop(what string) {
	if what == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.live, what)
	if g.in != nil {
		_, _ = g.in.WriteString("- " + what + "\n") // a guard that is gone is started again with the next command
	}
}
