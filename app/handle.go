package app

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// A method answers one request. Those that agree to something, speak as a
// person or change what the agent may do are for people only.
type method struct {
	people bool
	do     func(*Core, context.Context, json.RawMessage) (any, error)
}

// on makes a method of a typed function.
func on[P, R any](do func(*Core, context.Context, P) (R, error)) method {
	return method{do: func(c *Core, ctx context.Context, raw json.RawMessage) (any, error) {
		var p P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, &control.Error{Code: "bad_request", Message: fmt.Sprintf("the request does not decode: %v", err)}
			}
		}
		return do(c, ctx, p)
	}}
}

// forPeople is on for what no process of the agent's own may ask.
func forPeople[P, R any](do func(*Core, context.Context, P) (R, error)) method {
	m := on(do)
	m.people = true
	return m
}

// done fits functions that return only an error.
func done[P any](do func(*Core, context.Context, P) error) func(*Core, context.Context, P) (any, error) {
	return func(c *Core, ctx context.Context, p P) (any, error) { return nil, do(c, ctx, p) }
}

// methods are all that a client may ask.
var methods = map[string]method{
	control.MethodInfo:              on((*Core).info),
	control.MethodSend:              forPeople((*Core).send),
	control.MethodStop:              forPeople(done((*Core).stop)),
	control.MethodSessions:          forPeople((*Core).sessions),
	control.MethodSession:           forPeople((*Core).session),
	control.MethodSessionChange:     forPeople((*Core).changeSession),
	control.MethodSessionDelete:     forPeople(done((*Core).deleteSession)),
	control.MethodSessionRestore:    forPeople(done((*Core).restoreSession)),
	control.MethodSessionExport:     forPeople((*Core).exportSession),
	control.MethodSessionCompact:    forPeople((*Core).compactSession),
	control.MethodUsage:             forPeople((*Core).usage),
	control.MethodPending:           forPeople((*Core).pending),
	control.MethodAnswer:            forPeople(done((*Core).answer)),
	control.MethodOffer:             forPeople((*Core).offers),
	control.MethodConfirm:           forPeople((*Core).confirm),
	control.MethodAnswerQuestion:    forPeople(done((*Core).answerQuestion)),
	control.MethodTools:             on((*Core).tools),
	control.MethodToolHelp:          on((*Core).toolHelp),
	control.MethodCall:              forPeople((*Core).call),
	control.MethodGrants:            on((*Core).grants),
	control.MethodGrant:             forPeople((*Core).grant),
	control.MethodRevoke:            forPeople(done((*Core).revoke)),
	control.MethodConfigGet:         on((*Core).configGet),
	control.MethodConfigSet:         forPeople(done((*Core).configSet)),
	control.MethodModels:            on((*Core).models),
	control.MethodUndo:              forPeople((*Core).undo),
	control.MethodUndoList:          forPeople((*Core).undoList),
	control.MethodUndoShow:          forPeople((*Core).undoPlan),
	control.MethodUnlock:            forPeople(done((*Core).unlockSecrets)),
	control.MethodLock:              forPeople((*Core).lockSecrets),
	control.MethodServers:           on((*Core).listServers),
	control.MethodServerAdd:         forPeople(done((*Core).addServer)),
	control.MethodServerRemove:      forPeople(done((*Core).removeServer)),
	control.MethodServerTest:        forPeople((*Core).testServer),
	control.MethodServerPaste:       forPeople((*Core).pasteServers),
	control.MethodServerRetry:       forPeople(done((*Core).retryServer)),
	control.MethodServerAccept:      forPeople(done((*Core).acceptServer)),
	control.MethodServerLog:         forPeople((*Core).serverLog),
	control.MethodServerLogin:       forPeople((*Core).loginServer),
	control.MethodServerAwait:       forPeople((*Core).awaitLogin),
	control.MethodServerLogout:      forPeople(done((*Core).logoutServer)),
	control.MethodServerPrompts:     on((*Core).serverPrompts),
	control.MethodServerPrompt:      forPeople((*Core).serverPrompt),
	control.MethodMemories:          forPeople((*Core).memories),
	control.MethodMemory:            forPeople((*Core).memoryShow),
	control.MethodMemoryAdd:         forPeople((*Core).memoryAdd),
	control.MethodMemoryEdit:        forPeople((*Core).memoryEdit),
	control.MethodMemoryForget:      forPeople((*Core).memoryForget),
	control.MethodMemoryRestore:     forPeople((*Core).memoryRestore),
	control.MethodMemoryApprove:     forPeople((*Core).memoryApprove),
	control.MethodMemoryDeny:        forPeople((*Core).memoryDeny),
	control.MethodMemoryExport:      forPeople((*Core).memoryExport),
	control.MethodMemorySources:     forPeople((*Core).memorySources),
	control.MethodSourceAdd:         forPeople((*Core).memorySourceAdd),
	control.MethodSourceRemove:      forPeople(done((*Core).memorySourceRemove)),
	control.MethodJobs:              forPeople((*Core).listJobs),
	control.MethodJob:               forPeople((*Core).getJob),
	control.MethodJobTry:            forPeople((*Core).tryJob),
	control.MethodJobAdd:            forPeople((*Core).addJob),
	control.MethodJobChange:         forPeople((*Core).changeJob),
	control.MethodJobRemove:         forPeople(done((*Core).removeJob)),
	control.MethodJobPause:          forPeople((*Core).pauseJob),
	control.MethodJobResume:         forPeople((*Core).resumeJob),
	control.MethodJobRun:            forPeople((*Core).runJob),
	control.MethodJobHistory:        forPeople((*Core).jobHistory),
	control.MethodCommand:           forPeople((*Core).command),
	control.MethodCommands:          forPeople((*Core).listCommands),
	control.MethodComputer:          on((*Core).computerStatus),
	control.MethodComputerPause:     on((*Core).pauseComputer),
	control.MethodComputerResume:    forPeople((*Core).resumeComputer),
	control.MethodComputerStop:      forPeople((*Core).stopComputer),
	control.MethodComputerProbe:     forPeople((*Core).probeComputer),
	control.MethodComputerLook:      forPeople((*Core).lookComputer),
	control.MethodComputerApp:       forPeople(done((*Core).setComputerApp)),
	control.MethodComputerInstall:   forPeople((*Core).installComputer),
	control.MethodComputerCalibrate: forPeople((*Core).calibrateComputer),
	control.MethodBrowser:           on((*Core).browserStatus),
	control.MethodBrowserTest:       forPeople((*Core).browserTest),
	control.MethodBrowserOpen:       forPeople(done((*Core).browserOpen)),
	control.MethodBrowserStop:       forPeople(done((*Core).browserStop)),
	control.MethodBrowserClear:      forPeople(done((*Core).browserClear)),
	control.MethodBrowserDelete:     forPeople(done((*Core).browserDelete)),
	control.MethodDoctor:            on((*Core).doctor),
	control.MethodExplain:           on((*Core).explain),
	control.MethodShowWindow:        forPeople(done((*Core).showWindow)),
	control.MethodQuit:              forPeople(done((*Core).quit)),
}

// Handle implements [control.Handler].
func (c *Core) Handle(ctx context.Context, peer control.Peer, name string, params json.RawMessage) (any, error) {
	m, ok := methods[name]
	switch {
	case !ok:
		return nil, &control.Error{Code: "unknown_method", Message: fmt.Sprintf("this core does not know %q", name), Try: "use the same version of the program and the desktop"}
	case m.people && peer.Agents:
		slog.WarnContext(ctx, "app: a process of the agent's own asked for what only people may", "method", name, "pid", peer.PID)
		c.refused.Add(name, "a process that the agent started asked for what only you may do")
		return nil, &control.Error{Code: "denied", Message: "a process that the agent started may not do this", Try: "do it yourself, in a terminal or window of your own"}
	}
	return m.do(c, ctx, params)
}

// Events implements [control.Handler].
func (c *Core) Events(ctx context.Context, req control.WatchRequest) iter.Seq2[agent.Event, error] {
	return c.hub.Watch(ctx, req.Session, req.From)
}

// none is the parameter of methods that take nothing.
type none = struct{}
