package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

var (
	badCommand = &capability.Failure{Code: "bad_command", When: "the text cannot be run as a command line", Try: "send one command line of at most 100,000 characters without NUL characters; put a long script into a file and run that"}
	badWorkdir = &capability.Failure{Code: "bad_workdir", When: "the working folder is missing or no folder", Try: "use a folder that exists, or leave workdir out"}
	noShell    = &capability.Failure{Code: "no_shell", When: "no shell is installed", Try: "tell the owner to install bash; on Windows it comes with Git for Windows"}
	notStarted = &capability.Failure{Code: "not_started", When: "the system did not start the shell", Try: "try again later; the message says what the system answered"}
	timedOut   = &capability.Failure{Code: "timed_out", When: "the command ran longer than timeout_ms and was ended", Try: "do less in one command, raise timeout_ms, or start it with background=true and read it with shell_output"}
	tooMany    = &capability.Failure{Code: "too_many", When: "too many commands of this session run in the background", Try: "end one with shell_kill first"}
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:    "shell",
		Aliases: []string{"Bash"},
		Title:   "Run command",
		Description: "Runs a command line in bash (in sh where there is no bash), without a terminal and without input: nothing can be typed, " +
			"editors and pagers do not open. With pty=true it has a terminal of 80 columns and 24 rows, where input is typed once; the result is what stood on its screen. Returns when the command ends, with exit code, stdout and stderr; everything that it started is ended then. " +
			"With background=true it goes on and an id is returned, for shell_output and shell_kill.",
		Class:    capability.Exec,
		Category: capability.CategorySystem,
		Hints:    capability.Hints{ReadOnly: capability.No, OpenWorld: capability.Yes, LongRunning: capability.Yes, PersistOutput: true},
		Docs: capability.Docs{
			When: "for builds, tests and programs that no other tool covers; not to read, write, list or search files, nor for git, which have tools of their own",
			Examples: []capability.Example{
				{When: "the tests should run", In: shellIn{Command: "go test ./...", Description: "Run the tests"}},
				{When: "a program wants a terminal and a word", In: shellIn{Command: "npm init", PTY: true, Input: "demo\n", Description: "Begin a package"}},
				{When: "a server must run while other things are done", In: shellIn{Command: "npm run dev", Workdir: "web", Background: true, Description: "Start the development server"}},
			},
			Fails: sandbox.Failures(badCommand, badWorkdir, noShell, notStarted, timedOut, tooMany, confine.Unavailable),
		},
	}, (*Host).shell, (*Host).previewShell)
}

type shellIn struct {
	Command     string `json:"command" min:"1" max:"100000" jsonschema:"the command line"`
	Workdir     string `json:"workdir,omitempty" jsonschema:"the folder to run in; the workspace when left out"`
	TimeoutMS   int    `json:"timeout_ms,omitempty" min:"1" max:"600000" jsonschema:"milliseconds after which it is ended; 120000 when left out, none for a background command"`
	PTY         bool   `json:"pty,omitempty" jsonschema:"give it a terminal, for programs that insist on one"`
	Input       string `json:"input,omitempty" max:"4000" jsonschema:"text that is typed once into the terminal, lines ended by a line feed; only with pty"`
	Background  bool   `json:"background,omitempty" jsonschema:"go on in the background and return an id"`
	Description string `json:"description,omitempty" max:"200" jsonschema:"what it does, in a few words for the person who watches"`
}

// timeout is how long the command may take; 0 is for ever.
func (in *shellIn) timeout(l Limits) time.Duration {
	switch {
	case in.TimeoutMS > 0:
		return min(time.Duration(in.TimeoutMS)*time.Millisecond, l.MaxTimeout)
	case in.Background:
		return 0
	}
	return l.Timeout
}

func (h *Host) shell(ctx context.Context, call capability.Call, in shellIn) (capability.Result, error) {
	line, err := h.line(call, in)
	if err == nil {
		err = line.prepare(h)
	}
	if err == nil {
		err = line.confine(h, call.Turn)
	}
	if err != nil {
		return capability.Result{}, err
	}
	if in.Background {
		return h.background(ctx, call, line)
	}
	return h.foreground(ctx, call, line)
}

func (h *Host) previewShell(_ context.Context, call capability.Call, in shellIn) (capability.Preview, error) {
	line, err := h.line(call, in)
	if err != nil {
		return capability.Preview{}, err
	}
	p := capability.Preview{Question: "Run a command?", Summary: in.Description, Shell: in.typed(), Dir: line.dir}
	if in.Background {
		p.Warnings = append(p.Warnings, "It goes on in the background until it ends, is ended, or the session ends.")
	}
	return p, nil
}

// A line is a command line; what it runs with is there once it is prepared.
type line struct {
	shellIn
	dir   string   // absolute
	shell []string // program and arguments before the line
	args  []string // of a program that runs without a shell
	env   []string
	held  process.Confinement // nil when nothing holds it
	note  string              // about what does not hold
}

// line checks a call. It is asked again when the call runs: the folder may be
// gone by then.
func (h *Host) line(call capability.Call, in shellIn) (*line, error) {
	const most = 120_000 // bytes; the system takes 128 KiB for one argument
	switch {
	case strings.TrimSpace(in.Command) == "":
		return nil, badCommand.Becausef("the command is empty")
	case strings.ContainsRune(in.Command, 0):
		return nil, badCommand.Becausef("the command holds a NUL character")
	case strings.ContainsRune(in.Input, 0):
		return nil, badCommand.Becausef("the input holds a NUL character")
	case in.Input != "" && !in.PTY:
		return nil, badCommand.Becausef("input is typed into a terminal, and there is none").Trying("set pty to true, or write the input to a file and let the command read that")
	case len(in.Input) > maxInput:
		return nil, badCommand.Becausef("the input is %d bytes long; at most %d can be typed", len(in.Input), maxInput)
	case len(in.Command) > most:
		return nil, badCommand.Becausef("the command is %d bytes long; the system takes %d", len(in.Command), most)
	}
	dir, err := h.folder(call.Turn, in.Workdir)
	if err != nil {
		return nil, err
	}
	return &line{shellIn: in, dir: dir}, nil
}

// prepare makes the environment, which may take asking a password manager, and
// finds the shell.
func (l *line) prepare(h *Host) error {
	l.env = h.env(l.dir)
	if l.PTY {
		l.env = withTerminal(l.env)
	}
	var ok bool
	if l.shell, ok = shellOf(l.env); !ok {
		return noShell.Becausef("neither bash nor sh was found")
	}
	return nil
}

// folder is the folder to run in. A command can write there, so that must be
// allowed.
func (h *Host) folder(turn capability.Turn, workdir string) (string, error) {
	if workdir == "" {
		workdir = "."
	}
	dir, err := h.Paths.Judge(turn, workdir, sandbox.Write)
	if err != nil {
		return "", err
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return "", badWorkdir.Becausef("the folder %s does not exist", dir)
	case err != nil:
		return "", sandbox.NoAccess.Becausef("the system does not let this user look at %s", dir)
	case !info.IsDir():
		return "", badWorkdir.Becausef("%s is a file, not a folder", dir)
	}
	return dir, nil
}

func (l *line) argv() []string {
	if l.args != nil {
		return slices.Concat(l.shell, l.args)
	}
	return append(slices.Clone(l.shell), l.Command)
}

// shellName is what people call the shell.
func (l *line) shellName() string {
	return strings.TrimSuffix(filepath.Base(l.shell[0]), ".exe")
}

// inFolder says where the line runs.
func (l *line) inFolder() string { return fmt.Sprintf("%s in %s", l.shellName(), l.dir) }
