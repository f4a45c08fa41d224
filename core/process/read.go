package process

import (
	"errors"
	"os"
)

// read takes in a stream until it ends, or until its deadline has passed and
// the pipe is empty.
func (p *Process) read(s Stream, r *os.File) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		p.take(s, buf[:n])
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			p.drain(s, r, buf)
			return
		default:
			return
		}
	}
}

func (p *Process) take(s Stream, chunk []byte) {
	if len(chunk) == 0 {
		return
	}
	p.kept[s].add(chunk)
	if p.cmd.Output != nil {
		p.outMu.Lock()
		defer p.outMu.Unlock()
		p.cmd.Output(s, chunk)
	}
}

// pipeSize bounds what is still taken out of a pipe at the end: on a busy
// machine the command's own last words may be in it, and a grandchild may go on
// filling it for ever.
const pipeSize = 1 << 20

func (p *Process) drain(s Stream, r *os.File, buf []byte) {
	for left := pipeSize; left > 0; {
		n := readNow(r, buf)
		if n <= 0 {
			return
		}
		p.take(s, buf[:n])
		left -= n
	}
}
