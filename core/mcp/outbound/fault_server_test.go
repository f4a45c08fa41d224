package outbound

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// faultMode in the environment makes this test program a server with a fault.
const faultMode = "HOBKIN_TEST_FAULT"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(faultMode); mode {
	case "":
	case "suite":
		os.Exit(suiteClient(os.Args[len(os.Args)-1])) //nolint:forbidigo // the suite reads the exit code
	default:
		faulty(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// A faultServer speaks just enough of the protocol to go wrong in one way.
type faultServer struct {
	mode string
	out  *bufio.Writer
}

func faulty(mode string) {
	s := &faultServer{mode, bufio.NewWriter(os.Stdout)}
	s.begin()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			if mode == "stays" {
				select {}
			}
			return
		}
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name      string
				Cursor    string
				Arguments map[string]any
				Meta      struct {
					ProgressToken any `json:"progressToken"`
				} `json:"_meta"`
			} `json:"params"`
		}
		if json.Unmarshal([]byte(line), &req) != nil {
			continue
		}
		switch req.Method {
		case "initialize":
			s.initialize(req.ID)
		case "tools/list":
			s.list(req.ID, req.Params.Cursor)
		case "tools/call":
			s.call(req.ID, req.Params.Name, req.Params.Meta.ProgressToken)
		case "server/discover":
			s.raw(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, req.ID)
		case "notifications/cancelled":
			if p := os.Getenv("HOBKIN_TEST_CANCELLED"); p != "" {
				_ = os.WriteFile(p, []byte(line), 0o600)
			}
		}
	}
}

func (s *faultServer) raw(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
	_ = s.out.Flush()
}

// die ends the process at once, as a crash does.
func (*faultServer) die(code int) {
	syscall.Exit(code)
}

// begin is what goes wrong before anything was asked.
func (s *faultServer) begin() {
	switch s.mode {
	case "exits":
		_, _ = fmt.Fprintln(os.Stderr, "fatal: GMAIL_CREDENTIALS is not set")
		s.die(3)
	case "banner":
		s.raw("Welcome to the server!\n{not json}\n%s", strings.Repeat("=", 80))
	case "stays":
		signal.Ignore(syscall.SIGTERM)
	case "grandchild":
		cmd := exec.Command("sleep", "1000") //nolint:noctx // it is to outlive us
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		_ = cmd.Start()
	case "stderr":
		go func() {
			for range 2000 {
				_, _ = fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 200))
			}
		}()
	case "endless line":
		go func() {
			for {
				_, _ = os.Stdout.WriteString(strings.Repeat("x", 1<<20))
			}
		}()
	}
}

func (s *faultServer) initialize(id json.RawMessage) {
	protocol := "2025-11-25"
	switch s.mode {
	case "silent", "endless line":
		return
	case "version":
		protocol = "1999-01-01"
	case "text ids":
		id = json.RawMessage(`"` + string(id) + `"`)
	case "refuses":
		s.raw(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"the licence has expired"}}`, id)
		return
	}
	s.raw(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fault","version":"1"}}}`, id, protocol)
}

func (s *faultServer) list(id json.RawMessage, cursor string) {
	const echo = `{"name":"echo","description":"says it","inputSchema":{"type":"object"}}`
	tools, next := []string{echo}, ""
	switch s.mode {
	case "malformed":
		tools = append(tools, `{"name":5}`, `"x"`, `{"name":"second","inputSchema":{"type":"object"}}`)
	case "endless":
		next = `,"nextCursor":"` + cursor + `x"`
	case "circle":
		next = `,"nextCursor":"same"`
	case "many":
		for i := range 10_000 {
			tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"number %d","inputSchema":{"type":"object"}}`, i, i))
		}
	case "twice":
		tools = append(tools, echo)
	case "pages":
		tools = []string{fmt.Sprintf(`{"name":"page_%d","inputSchema":{"type":"object"}}`, len(cursor))}
		if len(cursor) < 4 {
			next = `,"nextCursor":"` + cursor + `x"`
		}
	case "rug":
		if words, err := os.ReadFile(os.Getenv("HOBKIN_TEST_WORDS")); err == nil {
			tools[0] = fmt.Sprintf(`{"name":"echo","description":%q,"inputSchema":{"type":"object"}}`, words)
		}
	case "storm":
		defer func() {
			for range 1000 {
				s.raw(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		}()
	}
	s.raw(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]%s}}`, id, strings.Join(tools, ","), next)
}

func (s *faultServer) call(id json.RawMessage, name string, token any) {
	text := "hello"
	switch s.mode {
	case "crash":
		_, _ = fmt.Fprintln(os.Stderr, "panic: index out of range")
		_, _ = s.out.WriteString(`{"jsonrpc":"2.0","id":`)
		_ = s.out.Flush()
		s.die(2)
	case "crash once":
		if flag := os.Getenv("HOBKIN_TEST_WORDS"); os.Mkdir(flag, 0o700) == nil {
			s.die(2)
		}
	case "slow":
		select {}
	case "big":
		text = strings.Repeat("y", 1<<20)
	case "huge":
		text = strings.Repeat("z", hugeResult)
	case "flood":
		for i := range 20_000 {
			s.raw(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%d"}}`, i)
		}
	case "garbage":
		s.raw("oops\n{\"jsonrpc\":\"2.0\",\"id\":%s,", id)
	case "doubled":
		s.raw(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"first"}]}}`, id)
	case "pretty":
		s.raw("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": %s,\n  \"result\": {\"content\": [{\"type\": \"text\", \"text\": \"pretty\"}]}\n}", id)
		return
	case "asks":
		s.raw(`{"jsonrpc":"2.0","id":"q1","method":"roots/list"}{"jsonrpc":"2.0","id":"q2","method":"no/such"}`)
	case "progress":
		for i := range 3 {
			s.raw(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"progress":%d,"total":3,"message":"step %d"}}`, token, i, i)
		}
	case "fails":
		s.raw(`{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"no such mailbox"}]}}`, id)
		return
	case "no result":
		s.raw(`{"jsonrpc":"2.0","id":%s}`, id)
		return
	}
	out, _ := json.Marshal(text + " from " + name)
	s.raw(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, id, out)
}
