package process

import (
	"os"
	"sync"
)

// A Terminal gives a command a terminal of its own, in place of pipes and of no
// input, for programs that insist on one. It is no one's: nobody types there
// but us, and what is put into it reaches the command alone. What the command
// prints is all on [Stdout], as the terminal gets it.
type Terminal struct {
	Cols, Rows int // of the screen
	// Input is typed once. After it, and at once when it is empty, a program
	// that reads lines finds the end of its input, again and again.
	Input string
}

// onTerminal starts the child with a terminal.
func (p *Process) onTerminal(readers *sync.WaitGroup) ([]*os.File, error) {
	t, err := openTerminal(p.cmd.Terminal)
	if err != nil {
		return nil, err
	}
	p.terminal = t
	t.attach(p.exec)
	if err := p.spawn(); err != nil {
		t.started()
		t.finish()
		_ = t.output().Close()
		return nil, err
	}
	t.started()
	readers.Go(func() { p.read(Stdout, t.output()) })
	readers.Go(func() { t.typeIn(p.exited) })
	return []*os.File{t.output()}, nil
}

// execute starts the program.
func (p *Process) execute() error {
	if p.terminal != nil {
		return p.terminal.start(p.exec)
	}
	return p.exec.Start()
}
