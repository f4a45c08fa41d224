package outbound

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/version"
)

const (
	mostPages = 500    // pages of one list; more is a server that never ends
	mostTools = 20_000 // tools of one server
	progressQ = 64     // messages of progress that wait to be shown; more are dropped
)

// A conn is one connection to a server, from its greeting to its end.
type conn struct {
	spec    Spec
	client  *client.Client
	program *program // nil for an address
	door    *door    // nil for a program
	list    *listing
	server  mcp.Implementation

	lost    chan error      // holds why it ended by itself
	changed chan struct{}   // holds one when the tools have changed
	life    context.Context // ends with the connection, whoever asked for it
	cancel  context.CancelFunc
	tasks   sync.WaitGroup
	once    sync.Once

	tokens   atomic.Int64 // of progress
	mu       sync.Mutex
	progress map[string]chan string // by token
	running  []capability.Call      // calls under way, the last one last
}

// connect starts or reaches the server and greets it. Ctx bounds the greeting,
// not the connection.
func connect(ctx context.Context, spec Spec, host Host) (*conn, error) {
	c := &conn{
		spec: spec, list: &listing{}, progress: map[string]chan string{},
		lost: make(chan error, 1), changed: make(chan struct{}, 1),
	}
	c.life, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := c.greet(ctx, host); err != nil {
		err = c.explain(ctx, err)
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *conn) greet(ctx context.Context, host Host) error {
	inner, err := c.dial(ctx)
	if err != nil {
		return err
	}
	err = c.shake(ctx, inner, host)
	if c.door == nil || !errors.Is(err, transport.ErrLegacySSEServer) {
		return err
	}
	refused, _ := c.door.last.Load().(string)
	_ = c.client.Close() // it was never open
	if inner, err = c.dialSSE(); err != nil {
		return err
	}
	if err = c.shake(ctx, inner, Host{}); err != nil {
		return fmt.Errorf("%s; nor does it answer as older servers do: %w", refused, err)
	}
	return nil
}

// shake opens the transport and agrees on the protocol.
func (c *conn) shake(ctx context.Context, inner transport.BidirectionalInterface, host Host) error {
	asked := &asked{server: c.spec.Name, host: host, call: c.lastCall}
	options := asked.options()
	if c.door != nil { // signing in takes its time
		options = append(options, client.WithDiscoverTimeout(c.spec.StartTime))
	}
	c.client = client.NewClient(tapped(inner, c), options...)
	c.client.OnNotification(c.notified)
	c.client.OnConnectionLost(c.end)
	if err := c.client.Start(c.life); err != nil { //nolint:contextcheck // ctx bounds the greeting only
		return err
	}
	var req mcp.InitializeRequest
	req.Params.ClientInfo = mcp.Implementation{Name: "hobkin", Version: version.Version}
	res, err := c.client.Initialize(ctx, req)
	if err != nil {
		return err
	}
	c.server = res.ServerInfo
	c.listen()
	return nil
}

// dial makes the transport.
func (c *conn) dial(ctx context.Context) (transport.BidirectionalInterface, error) {
	switch {
	case c.spec.URL != "":
		return c.dialHTTP()
	case len(c.spec.Builtin) > 0:
		return c.dialBuiltin(), nil
	}
	command, err := c.spec.Program(ctx)
	if err != nil {
		return nil, err
	}
	c.program = newProgram(command)
	return c.program, nil
}

// listen asks a server of the newest protocol to tell what changes; older ones
// tell unasked. Where the stream ends it is opened again, and what may have
// changed meanwhile is asked for.
func (c *conn) listen() {
	if !mcp.IsModernProtocol(c.client.ProtocolVersion()) || !c.tells() {
		return
	}
	c.tasks.Go(func() {
		for failures := 0; failures < tries; {
			began := time.Now()
			err := c.client.Listen(c.life, mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true})
			if c.life.Err() != nil || c.program != nil {
				return
			}
			if failures++; err == nil || time.Since(began) > stable {
				failures = 1
			}
			if sleep(c.life, firstWait<<failures) != nil {
				return
			}
			c.note()
		}
	})
}

// tells reports whether the server says that it tells what changes.
func (c *conn) tells() bool {
	can := c.client.GetServerCapabilities()
	return can.Tools != nil && can.Tools.ListChanged || can.Prompts != nil && can.Prompts.ListChanged
}

// note notes that the tools may have changed.
func (c *conn) note() {
	select {
	case c.changed <- struct{}{}:
	default: // noted already
	}
}

// end notes that the connection is over though nobody closed it.
func (c *conn) end(err error) {
	select {
	case c.lost <- err:
	default:
	}
}

// notified takes in a notification. It runs where the transport reads, so it
// only notes what is to be done.
func (c *conn) notified(n mcp.JSONRPCNotification) {
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged, mcp.MethodNotificationPromptsListChanged:
		c.note()
	case string(mcp.MethodNotificationProgress):
		c.progressed(n.Params.AdditionalFields)
	}
}

func (c *conn) progressed(fields map[string]any) {
	text, _ := fields["message"].(string)
	done, _ := fields["progress"].(float64)
	total, _ := fields["total"].(float64)
	switch {
	case text == "" && total > 0:
		text = fmt.Sprintf("%.0f %%", 100*done/total)
	case text == "":
		text = fmt.Sprintf("%g", done)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.progress[fmt.Sprint(fields["progressToken"])] <- text: // a nil channel is never ready
	default:
	}
}

// tools lists the server's tools, all pages, and what had to be left out.
func (c *conn) tools(ctx context.Context) (tools []Tool, bad []string, err error) {
	if c.client.GetServerCapabilities().Tools == nil {
		return nil, nil, nil
	}
	c.list.start()
	var req mcp.ListToolsRequest
	seen, taken := map[mcp.Cursor]bool{}, map[string]bool{}
	for range mostPages {
		page, err := c.client.ListToolsByPage(ctx, req)
		if err != nil {
			return nil, nil, c.explain(ctx, fmt.Errorf("it cannot list its tools: %w", err))
		}
		tools, bad = c.list.result()
		for _, t := range page.Tools {
			taken[t.Name] = true
		}
		switch {
		case page.NextCursor == "":
			return unique(usable(tools, bad, taken))
		case seen[page.NextCursor]:
			return nil, nil, errors.New("its list of tools never ends: a page leads back to one before")
		case len(tools) > mostTools:
			return nil, nil, fmt.Errorf("it has more than %d tools", mostTools)
		}
		seen[page.NextCursor] = true
		req.Params.Cursor = page.NextCursor
	}
	return nil, nil, fmt.Errorf("its list of tools has more than %d pages", mostPages)
}

// usable leaves out what mcp-go did not take: over HTTP, tools whose parameters
// are to be mirrored into headers in a way that the protocol forbids.
func usable(tools []Tool, bad []string, taken map[string]bool) ([]Tool, []string) {
	var out []Tool
	for _, t := range tools {
		if taken[t.Name] {
			out = append(out, t)
			continue
		}
		bad = append(bad, fmt.Sprintf("the tool %s asks for headers that are not allowed (x-mcp-header)", t.Name))
	}
	return out, bad
}

// unique leaves out tools that have the name of another.
func unique(tools []Tool, bad []string) ([]Tool, []string, error) {
	names := map[string]bool{}
	var out []Tool
	for _, t := range tools {
		if names[t.Name] {
			bad = append(bad, "the tool "+strconv.Quote(t.Name)+" is listed twice")
			continue
		}
		names[t.Name] = true
		out = append(out, t)
	}
	return out, bad, nil
}

// begin notes that a call is under way, and returns where its progress comes
// and what ends it.
func (c *conn) begin(token string, call capability.Call) (steps chan string, end func()) {
	steps = make(chan string, progressQ)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress[token] = steps
	c.running = append(c.running, call)
	return steps, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.progress, token)
		c.running = slices.DeleteFunc(c.running, func(o capability.Call) bool { return o.ID == call.ID })
	}
}

// lastCall is the call on whose behalf the server most likely asks something:
// the protocol does not say.
func (c *conn) lastCall() capability.Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.running) == 0 {
		return capability.Call{}
	}
	return c.running[len(c.running)-1]
}

// call runs one tool. Progress is told as it comes.
func (c *conn) call(ctx context.Context, tool string, call capability.Call) (*mcp.CallToolResult, error) {
	token := strconv.FormatInt(c.tokens.Add(1), 10)
	steps, end := c.begin(token, call)
	defer end()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, call.Args
	req.Params.Meta = &mcp.Meta{ProgressToken: token}
	type answer struct {
		res *mcp.CallToolResult
		err error
	}
	done := make(chan answer, 1)
	c.tasks.Go(func() {
		res, err := c.client.CallTool(ctx, req)
		done <- answer{res, err}
	})
	for {
		select {
		case text := <-steps:
			call.Progress(text)
		case a := <-done:
			for len(steps) > 0 { // what came before the answer and was not told yet
				call.Progress(<-steps)
			}
			return a.res, c.explain(ctx, a.err)
		}
	}
}

// explain prefers, of the reasons of a failure, the one that helps: the end of
// ctx, or of the program with its last words.
func (c *conn) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		err = fmt.Errorf("it did not answer in time: %w", context.DeadlineExceeded)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if c.program == nil {
		if u, ok := errors.AsType[*url.Error](err); ok { // its address is known, and may hold a key
			return u.Err
		}
		return err
	}
	if n := c.program.skipped.Load(); n > 0 {
		sample, _ := c.program.sample.Load().(string)
		err = fmt.Errorf("%w (it also printed %d lines that are no messages, the first: %q)", err, n, sample)
	}
	if words := c.program.lastWords(); words != "" && !containsText(err, words) {
		err = fmt.Errorf("%w; it said: %s", err, words)
	}
	return err
}

// log is what the server said on standard error.
func (c *conn) log() string {
	if c.program == nil {
		return ""
	}
	return c.program.stderr()
}

// close ends the connection and the program. It may be called more than once.
func (c *conn) close() {
	c.once.Do(func() {
		c.cancel()
		if c.client != nil {
			_ = c.client.Close() // it is over either way
		}
		c.tasks.Wait()
	})
}
