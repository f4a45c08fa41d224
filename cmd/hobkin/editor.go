package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
)

// An editor reads lines on a terminal, with the arrow keys, the lines before,
// and Tab to complete commands. Outside of a line the terminal is as it was.
type editor struct {
	keys   *keys
	in     *os.File
	out    *os.File
	term   *term.Terminal
	stroke *stroke // while a line is edited
	list   func() []control.CommandEntry
}

// newEditor makes an editor where a person sits before a terminal that can be
// drawn on; else it is nil.
func (c *cli) newEditor(k *keys, list func() []control.CommandEntry) *editor {
	in, ok := c.in.(*os.File)
	out := terminal(c.err)
	if !ok || out == nil || !term.IsTerminal(int(in.Fd())) || runtime.GOOS == "windows" || os.Getenv("TERM") == "dumb" {
		return nil
	}
	e := &editor{keys: k, in: in, out: out, list: list}
	e.term = term.NewTerminal(e, "> ")
	e.term.AutoCompleteCallback = e.complete
	return e
}

// Read implements [io.Reader] for the terminal that is drawn.
func (e *editor) Read(p []byte) (int, error) { return e.stroke.read(p, e.keys.gone) }

// Write implements [io.Writer]. What is written is drawn by the editor alone:
// keys that are not letters never reach it.
func (e *editor) Write(p []byte) (int, error) { return e.out.Write(p) }

// line reads one line. It reports false when the person leaves, by Ctrl+C or
// Ctrl+D, or when ctx ends. A line that was typed before counts.
func (e *editor) line(ctx context.Context) (string, bool) {
	before, err := term.MakeRaw(int(e.in.Fd()))
	if err != nil {
		_, _ = io.WriteString(e.out, "> ")
		return prompt(ctx, e.keys.lines)
	}
	defer func() { _ = term.Restore(int(e.in.Fd()), before) }()
	if w, h, err := term.GetSize(int(e.out.Fd())); err == nil && w > 0 {
		_ = e.term.SetSize(w, h) // an error of drawing shows itself
	}
	stroke, release := e.keys.take()
	e.stroke = stroke
	type typed struct {
		line string
		ok   bool
	}
	got := make(chan typed, 1)
	go func() { // ends with the line, or when the keys are taken back
		line, err := e.term.ReadLine()
		got <- typed{line, err == nil}
	}()
	stop := func() { release(); <-got }
	select {
	case t := <-got:
		release()
		return t.line, t.ok
	case <-ctx.Done():
		stop()
		return "", false
	case line, ok := <-e.keys.lines:
		stop()
		_, _ = io.WriteString(e.out, unsteered(line)+"\r\n")
		return line, ok
	}
}

// tabKey completes.
const tabKey = '\t'

// complete completes the name of a command at Tab. Where several fit it lists
// them with what they do.
func (e *editor) complete(line string, pos int, key rune) (string, int, bool) {
	if key != tabKey {
		return "", 0, false
	}
	typed, slash := strings.CutPrefix(line, "/")
	if !slash || pos != len(line) || strings.ContainsAny(typed, " \t/") {
		return line, pos, true
	}
	found := command.Complete(e.list(), typed)
	if len(found) == 0 {
		return line, pos, true
	}
	if len(found) == 1 {
		line = "/" + found[0].Name + " "
		return line, len(line), true
	}
	begin := 0
	for begin < len(found) && strings.HasPrefix(found[begin].Name, strings.ToLower(typed)) {
		begin++
	}
	if common := command.Common(found[:begin]); len(common) > len(typed) {
		return "/" + common, 1 + len(common), true
	}
	_, _ = e.term.Write([]byte(e.listed(found)))
	return line, pos, true
}

// listed is a list of commands, a line each.
func (e *editor) listed(list []control.CommandEntry) string {
	width := 80
	if w, _, err := term.GetSize(int(e.out.Fd())); err == nil && w > 0 {
		width = w
	}
	wide := 0
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = oneLine(strings.TrimSpace("/" + x.Name + " " + x.Hint))
		wide = max(wide, min(len(names[i]), mostNameShown))
	}
	var b strings.Builder
	for i, x := range list {
		line := []rune(fmt.Sprintf("  %-*s  %s", wide, names[i], oneLine(x.Summary)))
		b.WriteString(unsteered(string(line[:min(len(line), max(width-1, 20))])) + "\n")
	}
	return b.String()
}

// mostNameShown bounds the column of names.
const mostNameShown = 34

// listTime bounds how long completion waits for the list.
const listTime = 3 * time.Second

// commands lists the commands for completion; none where the core is slow.
func commands(ctx context.Context, client *control.Client) []control.CommandEntry {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	l, err := client.Commands(ctx, control.CommandQuery{Channel: "cli"})
	if err != nil {
		return nil
	}
	return l.Commands
}
