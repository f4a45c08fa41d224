package page

import (
	"context"
	"fmt"
	"sync"

	"github.com/hobkin/hobkin/browser/cdp"
)

// worlds remembers what was found out about the document that each frame shows
// now. The browser says when a document goes, and all of it is forgotten.
type worlds struct {
	mu       sync.Mutex // events come on the reader's goroutine
	frames   map[string]*known
	sessions map[*cdp.Session]*followed
}

// followed is what a session has told of its contexts.
type followed struct {
	gone   int              // how many there were that are no more
	unique map[int64]string // of our worlds there are
}

// known is one document.
type known struct {
	session *cdp.Session
	context int64  // of our world in it
	unique  string // a name of that world which no other ever has; numbers come again in another process
	object  string // the document, as the page's own script has it; empty when not asked for so far

	heard map[int64]bool // elements whose listeners the script was told of; nil before the first time
}

// in adds to the parameters of a command which world is meant; number is what the
// command calls the number of one.
func (k *known) in(params map[string]any, number string) map[string]any {
	if k.unique != "" {
		params["uniqueContextId"] = k.unique
	} else {
		params[number] = k.context
	}
	return params
}

// of is what is known of the document of a frame; nil for nothing.
func (w *worlds) of(f Frame) *known {
	w.mu.Lock()
	defer w.mu.Unlock()
	if k := w.frames[f.ID]; k != nil && k.session == f.Session {
		return k
	}
	return nil
}

// enter is the document that a frame shows, with a world of ours in it.
func (w *worlds) enter(ctx context.Context, f Frame) (*known, error) {
	if k := w.of(f); k != nil {
		return k, nil
	}
	events, gone := w.follow(f.Session)
	var made struct {
		Context int64 `json:"executionContextId"`
	}
	err := f.Session.Call(ctx, "Page.createIsolatedWorld", map[string]any{"frameId": f.ID, "worldName": worldName}, &made)
	if err != nil {
		return nil, fmt.Errorf("entering the page: %w", err)
	}
	k := &known{session: f.Session, context: made.Context}
	w.mu.Lock()
	defer w.mu.Unlock()
	k.unique = events.unique[k.context]
	if events.gone != gone || k.unique == "" { // it may have been this one; made before it was followed
		return k, nil
	}
	if len(w.frames) > 2*maxFrames { // frames come and go
		clear(w.frames)
	}
	w.frames[f.ID] = k
	return k, nil
}

// follow has a session tell of contexts that come and go, and returns how many
// have gone.
func (w *worlds) follow(s *cdp.Session) (events *followed, gone int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.sessions[s]; f != nil {
		return f, f.gone
	}
	for old := range w.sessions {
		if old.Err() != nil {
			delete(w.sessions, old)
		}
	}
	f := &followed{unique: map[int64]string{}}
	w.sessions[s] = f
	cdp.On(s, "Runtime.executionContextCreated", func(e struct {
		Context struct {
			ID       int64  `json:"id"`
			UniqueID string `json:"uniqueId"`
			Name     string `json:"name"`
		} `json:"context"`
	},
	) {
		if e.Context.Name == worldName {
			w.mu.Lock()
			defer w.mu.Unlock()
			f.unique[e.Context.ID] = e.Context.UniqueID
		}
	})
	cdp.On(s, "Runtime.executionContextDestroyed", func(e struct {
		Context int64 `json:"executionContextId"`
	},
	) {
		w.forget(s, e.Context)
	})
	cdp.On(s, "Runtime.executionContextsCleared", func(struct{}) { w.forget(s, 0) })
	s.Post("Runtime.enable", nil)
	return f, 0
}

// forget drops the document of a context of a session; 0 stands for all.
func (w *worlds) forget(s *cdp.Session, context int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.sessions[s]; f != nil {
		f.gone++
		if delete(f.unique, context); context == 0 {
			clear(f.unique)
		}
	}
	for id, k := range w.frames {
		if k.session == s && (context == 0 || k.context == context) {
			delete(w.frames, id)
		}
	}
}
