package system

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

// A Background is a command that was started in the background, as it was when
// asked.
type Background struct {
	ID          string    `json:"id"`
	Session     string    `json:"session"`
	Turn        string    `json:"turn"`
	Command     string    `json:"command"`
	Description string    `json:"description,omitempty"`
	Dir         string    `json:"dir"`
	Started     time.Time `json:"started"`
	State       State     `json:"state"`
	ExitCode    int       `json:"exit_code"` // -1 unless it ended by itself
	Signal      string    `json:"signal,omitempty"`

	DurationMS int64            `json:"duration_ms"` // so far, or until its end
	Listening  []netip.AddrPort `json:"listening,omitempty"`
}

// State is what a background command is doing.
type State string

// The states.
const (
	Running  State = "running"
	Ended    State = "ended"     // by itself
	Killed   State = "killed"    // by shell_kill, or because its session ended
	TimedOut State = "timed_out" // by its timeout_ms
)

// Background lists the background commands of a session, the oldest first:
// those that run, and the last of those that have ended.
func (h *Host) Background(session string) []Background {
	var out []Background
	for _, j := range h.jobs.of(session) {
		out = append(out, j.state())
	}
	return out
}

// jobs are the background commands of a Host.
type jobs struct {
	mu     sync.Mutex
	last   int
	list   []*job // in the order in which they were started
	closed bool
}

// A job is one background command.
type job struct {
	id, session, turn string
	line              *line
	started           time.Time
	process           *process.Process
	out               *transcript
	shown             *display // nil without a terminal
	cancel            context.CancelFunc
	done              chan struct{}

	mu     sync.Mutex
	now    State
	why    State // of its end, when it was not its own
	res    process.Result
	listen []netip.AddrPort
	read   int64 // how much of the transcript was read
}

// keptJobs is how many ended commands of a session can still be read.
const keptJobs = 16

// reserve makes an id for a new command of a session, when there is room.
func (js *jobs) reserve(j *job, most int) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.closed {
		return capability.Cancelled.Becausef("Hobkin is closing")
	}
	running, ended := 0, 0
	for _, other := range slices.Backward(js.list) {
		switch {
		case other.session != j.session:
		case other.running():
			running++
		default:
			if ended++; ended > keptJobs {
				js.list = slices.DeleteFunc(js.list, func(o *job) bool { return o == other })
			}
		}
	}
	if running >= most {
		return tooMany.Becausef("%d commands of this session run in the background already: %s", running, names(js.ofLocked(j.session)))
	}
	js.last++
	j.id = "bg-" + strconv.Itoa(js.last)
	js.list = append(js.list, j)
	return nil
}

func (js *jobs) drop(j *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.list = slices.DeleteFunc(js.list, func(o *job) bool { return o == j })
}

func (js *jobs) of(session string) []*job {
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.ofLocked(session)
}

func (js *jobs) ofLocked(session string) (out []*job) {
	for _, j := range js.list {
		if j.session == session {
			out = append(out, j)
		}
	}
	return out
}

// end ends the commands that which picks, forgets them, and waits for them.
func (js *jobs) end(which func(*job) bool) {
	js.mu.Lock()
	var picked []*job
	js.list = slices.DeleteFunc(js.list, func(j *job) bool {
		if which(j) {
			picked = append(picked, j)
		}
		return which(j)
	})
	js.mu.Unlock()
	for _, j := range picked {
		j.stop(Killed)
	}
	for _, j := range picked {
		<-j.done
	}
}

func (js *jobs) close() {
	js.mu.Lock()
	js.closed = true
	js.mu.Unlock()
	js.end(func(*job) bool { return true })
}

// find returns a command of the session that a call belongs to.
func (h *Host) find(call capability.Call, id string) (*job, error) {
	list := h.jobs.of(call.Turn.Session)
	for _, j := range list {
		if j.id == id {
			return j, nil
		}
	}
	if len(list) == 0 {
		return nil, noJob.Becausef("no command of this session was started in the background")
	}
	return nil, noJob.Becausef("no background command of this session is called %q; there are: %s", capability.CutText(id, 100), names(list))
}

// names lists commands for people.
func names(list []*job) string {
	var b []byte
	for i, j := range list {
		if i > 0 {
			b = append(b, "; "...)
		}
		b = fmt.Appendf(b, "%s (%s) %s", j.id, j.state().State, capability.CutText(j.line.Command, 60))
	}
	return string(b)
}

// stop ends the command, for a reason. It does not wait.
func (j *job) stop(why State) {
	j.mu.Lock()
	if j.now == Running && j.why == "" {
		j.why = why
	}
	j.mu.Unlock()
	j.cancel()
}

func (j *job) running() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now == Running
}

func (j *job) state() Background {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := Background{
		ID: j.id, Session: j.session, Turn: j.turn, Command: j.line.Command, Description: j.line.Description, Dir: j.line.dir,
		Started: j.started, State: j.now, ExitCode: -1, Listening: slices.Clone(j.listen),
	}
	if j.now == Running {
		b.DurationMS = time.Since(j.started).Milliseconds()
		return b
	}
	b.DurationMS, b.Signal = j.res.Duration.Milliseconds(), j.res.Signal
	if j.now == Ended {
		b.ExitCode = j.res.ExitCode
	}
	return b
}
