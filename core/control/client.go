package control

import "context"

// The methods of the protocol.
const (
	MethodInfo           = "info"
	MethodSend           = "send"
	MethodStop           = "stop"
	MethodSessions       = "sessions.list"
	MethodSession        = "sessions.get"
	MethodSessionChange  = "sessions.change"
	MethodSessionDelete  = "sessions.delete"
	MethodSessionRestore = "sessions.restore"
	MethodSessionExport  = "sessions.export"
	MethodSessionCompact = "sessions.compact"
	MethodUsage          = "usage"
	MethodPending        = "approvals.pending"
	MethodAnswer         = "approvals.answer"
	MethodAnswerQuestion = "questions.answer"
	MethodTools          = "tools.list"
	MethodToolHelp       = "tools.help"
	MethodCall           = "tools.call"
	MethodGrants         = "grants.list"
	MethodGrant          = "grants.add"
	MethodRevoke         = "grants.revoke"
	MethodConfigGet      = "config.get"
	MethodConfigSet      = "config.set"
	MethodModels         = "models.list"
	MethodUndo           = "undo"
	MethodUndoList       = "undo.list"
	MethodUndoShow       = "undo.show"
	MethodUnlock         = "secrets.unlock"
	MethodLock           = "secrets.lock"
	MethodDoctor         = "doctor"
	MethodShowWindow     = "window.show"
	MethodQuit           = "quit"
)

// ask is Do with the answer as a value.
func ask[R any](ctx context.Context, c *Client, method string, params any) (R, error) {
	var r R
	err := c.Do(ctx, method, params, &r)
	return r, err
}

// ID names one thing, as the parameter of many methods.
type ID struct {
	ID string `json:"id"`
}

// Info asks what the core is and does.
func (c *Client) Info(ctx context.Context) (Info, error) { return ask[Info](ctx, c, MethodInfo, nil) }

// Send puts a message into a session's queue and returns at once.
func (c *Client) Send(ctx context.Context, r SendRequest) (Sent, error) {
	return ask[Sent](ctx, c, MethodSend, r)
}

// Stop ends the session's running turn, if there is one.
func (c *Client) Stop(ctx context.Context, session string) error {
	return c.Do(ctx, MethodStop, ID{session}, nil)
}

// Sessions lists sessions.
func (c *Client) Sessions(ctx context.Context, q SessionQuery) ([]Session, error) {
	return ask[[]Session](ctx, c, MethodSessions, q)
}

// Session returns one session.
func (c *Client) Session(ctx context.Context, id string) (Session, error) {
	return ask[Session](ctx, c, MethodSession, ID{id})
}

// ChangeSession renames, pins, or sets mode or model.
func (c *Client) ChangeSession(ctx context.Context, ch SessionChange) (Session, error) {
	return ask[Session](ctx, c, MethodSessionChange, ch)
}

// DeleteSession takes a session out of the lists; RestoreSession brings it back.
func (c *Client) DeleteSession(ctx context.Context, id string) error {
	return c.Do(ctx, MethodSessionDelete, ID{id}, nil)
}

// RestoreSession brings a deleted session back.
func (c *Client) RestoreSession(ctx context.Context, id string) error {
	return c.Do(ctx, MethodSessionRestore, ID{id}, nil)
}

// ExportRequest asks for a session as a document.
type ExportRequest struct {
	ID     string `json:"id"`
	Format string `json:"format"` // markdown, html or json
}

// ExportSession returns a session as a document.
func (c *Client) ExportSession(ctx context.Context, r ExportRequest) (Export, error) {
	return ask[Export](ctx, c, MethodSessionExport, r)
}

// Pending lists the approvals that wait.
func (c *Client) Pending(ctx context.Context) ([]PendingApproval, error) {
	return ask[[]PendingApproval](ctx, c, MethodPending, nil)
}

// Answer answers an approval. The first answer wins; a later one is an error.
func (c *Client) Answer(ctx context.Context, a ApprovalAnswer) error {
	return c.Do(ctx, MethodAnswer, a, nil)
}

// AnswerQuestion answers a form.
func (c *Client) AnswerQuestion(ctx context.Context, a QuestionAnswer) error {
	return c.Do(ctx, MethodAnswerQuestion, a, nil)
}

// Tools lists tools.
func (c *Client) Tools(ctx context.Context, q ToolQuery) ([]Tool, error) {
	return ask[[]Tool](ctx, c, MethodTools, q)
}

// ToolHelp returns all that is known of a tool, as Markdown.
func (c *Client) ToolHelp(ctx context.Context, name string) (string, error) {
	return ask[string](ctx, c, MethodToolHelp, ID{name})
}

// Call runs one tool.
func (c *Client) Call(ctx context.Context, r CallRequest) (CallResult, error) {
	return ask[CallResult](ctx, c, MethodCall, r)
}

// Grants lists the granted folders.
func (c *Client) Grants(ctx context.Context) ([]Grant, error) {
	return ask[[]Grant](ctx, c, MethodGrants, nil)
}

// Grant lets the agent use a folder.
func (c *Client) Grant(ctx context.Context, path string) (Grant, error) {
	return ask[Grant](ctx, c, MethodGrant, ID{path})
}

// Revoke takes a grant back.
func (c *Client) Revoke(ctx context.Context, path string) error {
	return c.Do(ctx, MethodRevoke, ID{path}, nil)
}

// ConfigGet returns one setting, or all below a prefix; "" means all.
func (c *Client) ConfigGet(ctx context.Context, key string) ([]ConfigValue, error) {
	return ask[[]ConfigValue](ctx, c, MethodConfigGet, ID{key})
}

// ConfigSetRequest sets one setting.
type ConfigSetRequest struct {
	Key   string `json:"key"`
	Value string `json:"value"` // as TOML; a bare word counts as a string
}

// ConfigSet changes one setting in the file, comments kept.
func (c *Client) ConfigSet(ctx context.Context, r ConfigSetRequest) error {
	return c.Do(ctx, MethodConfigSet, r, nil)
}

// Models lists the models that can be picked.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	return ask[[]Model](ctx, c, MethodModels, nil)
}

// Doctor tries every part and says what it found.
func (c *Client) Doctor(ctx context.Context) ([]Check, error) {
	return ask[[]Check](ctx, c, MethodDoctor, nil)
}

// ShowWindow brings the chat to the front, at a session when one is named.
func (c *Client) ShowWindow(ctx context.Context, session string) error {
	return c.Do(ctx, MethodShowWindow, ID{session}, nil)
}

// Unlock carries the passphrase of the sealed secrets.
type Unlock struct {
	Passphrase string `json:"passphrase"`
}

// String hides the passphrase.
func (Unlock) String() string { return "[secret hidden]" }

// GoString hides the passphrase.
func (Unlock) GoString() string { return "[secret hidden]" }

// UnlockSecrets opens the sealed secrets until the core ends or locks them.
func (c *Client) UnlockSecrets(ctx context.Context, u Unlock) error {
	return c.Do(ctx, MethodUnlock, u, nil)
}

// LockSecrets forgets the key of the sealed secrets.
func (c *Client) LockSecrets(ctx context.Context) error { return c.Do(ctx, MethodLock, nil, nil) }

// Quit ends the desktop's background process.
func (c *Client) Quit(ctx context.Context) error { return c.Do(ctx, MethodQuit, nil, nil) }
