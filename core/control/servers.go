package control

import (
	"context"
	"time"
)

// The methods about tool servers.
const (
	MethodServers       = "servers.list"
	MethodServerAdd     = "servers.add"
	MethodServerRemove  = "servers.remove"
	MethodServerTest    = "servers.test"
	MethodServerPaste   = "servers.paste"
	MethodServerRetry   = "servers.retry"
	MethodServerAccept  = "servers.accept"
	MethodServerLog     = "servers.log"
	MethodServerLogin   = "servers.login"
	MethodServerAwait   = "servers.await_login"
	MethodServerLogout  = "servers.logout"
	MethodServerPrompts = "servers.prompts"
	MethodServerPrompt  = "servers.prompt"
)

// A Server is a tool server as lists show it.
type Server struct {
	Name     string         `json:"name"`
	Shown    string         `json:"shown"`              // its command line or address
	State    string         `json:"state"`              // starting, ready, failed, quarantined, disabled or needs_login
	Reason   string         `json:"reason,omitempty"`   // why it is not ready
	About    string         `json:"about,omitempty"`    // what it calls itself
	Protocol string         `json:"protocol,omitempty"` // version that was agreed on
	Tools    []ServerTool   `json:"tools"`
	Held     []ServerChange `json:"held,omitempty"`  // tools that are held back until their change was seen
	Notes    []string       `json:"notes,omitempty"` // tools that had to be left out, and why
	Since    time.Time      `json:"since"`
}

// A ServerTool is a tool of a server.
type ServerTool struct {
	Name        string `json:"name"`    // as the server calls it
	Offered     string `json:"offered"` // as the agent calls it
	Description string `json:"description"`
}

// A ServerChange is a tool whose definition is not the one that was seen.
type ServerChange struct {
	Tool string `json:"tool"`
	Diff string `json:"diff"` // unified, of its definition
}

// A ServerEntry is what the settings say of a server.
type ServerEntry struct {
	Name    string            `json:"name"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	PassEnv []string          `json:"pass_env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Auth    string            `json:"auth,omitempty"`
	Confine bool              `json:"confine,omitempty"`

	ClientID     string `json:"client_id,omitempty"`
	ClientSecret string `json:"client_secret,omitempty"` // where it is, never the secret
}

// Servers lists the tool servers. It starts them where they were not, and waits
// a little for those that are starting.
func (c *Client) Servers(ctx context.Context) ([]Server, error) {
	return ask[[]Server](ctx, c, MethodServers, nil)
}

// AddServer writes a server into the settings.
func (c *Client) AddServer(ctx context.Context, e ServerEntry) error {
	return c.Do(ctx, MethodServerAdd, e, nil)
}

// A PasteRequest is the block of a program's settings that lists tool servers.
type PasteRequest struct {
	Text string `json:"text"` // JSON, as other programs have it
}

// PasteServers tries the servers of such a block and adds those that work.
// Secrets in it go among the secrets. It tells what became of each, a line each.
func (c *Client) PasteServers(ctx context.Context, text string) ([]string, error) {
	return ask[[]string](ctx, c, MethodServerPaste, PasteRequest{text})
}

// RemoveServer takes a server out of the settings, and forgets its tools.
func (c *Client) RemoveServer(ctx context.Context, name string) error {
	return c.Do(ctx, MethodServerRemove, ID{name}, nil)
}

// TestServer connects to a server just as it is used, also to one that is not
// in the settings yet, and tells how that went.
func (c *Client) TestServer(ctx context.Context, e ServerEntry) (Server, error) {
	return ask[Server](ctx, c, MethodServerTest, e)
}

// RetryServer starts a server anew, also one that was given up.
func (c *Client) RetryServer(ctx context.Context, name string) error {
	return c.Do(ctx, MethodServerRetry, ID{name}, nil)
}

// AcceptServer takes the changed tools of a server as seen.
func (c *Client) AcceptServer(ctx context.Context, name string) error {
	return c.Do(ctx, MethodServerAccept, ID{name}, nil)
}

// ServerLog returns what a server said on standard error.
func (c *Client) ServerLog(ctx context.Context, name string) (string, error) {
	return ask[string](ctx, c, MethodServerLog, ID{name})
}

// A ServerLogin is how signing in to a server begins.
type ServerLogin struct {
	Page string `json:"page,omitempty"` // to be opened by the person; empty when nothing has to be done
}

// LoginServer begins to sign in to a server. The person opens the page, and
// [Client.AwaitLogin] waits for them.
func (c *Client) LoginServer(ctx context.Context, name string) (ServerLogin, error) {
	return ask[ServerLogin](ctx, c, MethodServerLogin, ID{name})
}

// AwaitLogin waits until signing in has ended, and tells how the server is then.
func (c *Client) AwaitLogin(ctx context.Context, name string) (Server, error) {
	return ask[Server](ctx, c, MethodServerAwait, ID{name})
}

// LogoutServer forgets the tokens of a server.
func (c *Client) LogoutServer(ctx context.Context, name string) error {
	return c.Do(ctx, MethodServerLogout, ID{name}, nil)
}

// A ServerPrompt is a text that a server offers, with its arguments.
type ServerPrompt struct {
	Server      string              `json:"server"`
	Name        string              `json:"name"`
	Title       string              `json:"title,omitempty"`
	Description string              `json:"description,omitempty"`
	Arguments   []ServerPromptInput `json:"arguments,omitempty"`
}

// A ServerPromptInput is one argument of a prompt.
type ServerPromptInput struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// A PromptRequest asks for a prompt with its arguments filled in.
type PromptRequest struct {
	Server    string            `json:"server"`
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// A PromptMessage is a part of a prompt. It comes from the server.
type PromptMessage struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// ServerPrompts lists the prompts that servers offer.
func (c *Client) ServerPrompts(ctx context.Context) ([]ServerPrompt, error) {
	return ask[[]ServerPrompt](ctx, c, MethodServerPrompts, nil)
}

// ServerPrompt gets one prompt with its arguments filled in.
func (c *Client) ServerPrompt(ctx context.Context, r PromptRequest) ([]PromptMessage, error) {
	return ask[[]PromptMessage](ctx, c, MethodServerPrompt, r)
}
