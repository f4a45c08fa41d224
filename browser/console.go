package browser

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
)

// A Message is what a page, or the browser about it, said on the console.
type Message struct {
	Time  time.Time
	Level string // log, info, warning, error, debug; exception for what no script caught
	Text  string // at most 2,000 characters
	URL   string // of the script; may be empty
	Line  int    // in it, from 1; 0 if not known
}

const (
	keepMessages = 200
	maxMessage   = 2000
)

// Console is what was said in the tab lately, the oldest first, and how many
// messages there were in all.
func (t *Tab) Console() (list []Message, total int) {
	t.mu.Lock()
	v := t.view
	t.mu.Unlock()
	if v == nil {
		return nil, 0
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.console.all(), v.console.total
}

// remote is a value of a page as the protocol shows it.
type remote struct {
	Type        string          `json:"type"`
	Value       json.RawMessage `json:"value"`
	Unspeakable string          `json:"unserializableValue"` // NaN, -0, 12n
	Description string          `json:"description"`
}

// String is what a console shows of it.
func (r remote) String() string {
	var text string
	switch {
	case r.Unspeakable != "":
		return r.Unspeakable
	case r.Type == "string" && json.Unmarshal(r.Value, &text) == nil:
		return text
	case len(r.Value) > 0:
		return string(r.Value)
	case r.Description != "":
		return r.Description
	}
	return r.Type
}

type callFrame struct {
	URL  string `json:"url"`
	Line int    `json:"lineNumber"` // from 0
}

type stack struct {
	Frames []callFrame `json:"callFrames"`
}

func (v *view) listenConsole(s *cdp.Session) {
	cdp.On(s, "Runtime.consoleAPICalled", func(e struct {
		Type  string   `json:"type"`
		Args  []remote `json:"args"`
		Stack *stack   `json:"stackTrace"`
	},
	) {
		var words []string
		for _, a := range e.Args {
			words = append(words, clip(a.String(), maxMessage))
		}
		v.say(Message{Level: e.Type, Text: strings.Join(words, " ")}, e.Stack)
	})
	cdp.On(s, "Runtime.exceptionThrown", func(e struct {
		Details exception `json:"exceptionDetails"`
	},
	) {
		v.say(Message{Level: "exception", Text: e.Details.String(), URL: e.Details.URL, Line: e.Details.Line + 1}, nil)
	})
	cdp.On(s, "Log.entryAdded", func(e struct {
		Entry struct {
			Level string `json:"level"`
			Text  string `json:"text"`
			URL   string `json:"url"`
			Line  int    `json:"lineNumber"`
		} `json:"entry"`
	},
	) {
		v.say(Message{Level: e.Entry.Level, Text: e.Entry.Text, URL: e.Entry.URL, Line: e.Entry.Line}, nil)
	})
}

func (v *view) say(m Message, at *stack) {
	m.Time, m.Text = time.Now(), clip(m.Text, maxMessage)
	if at != nil && len(at.Frames) > 0 {
		m.URL, m.Line = at.Frames[0].URL, at.Frames[0].Line+1
	}
	m.URL = clip(m.URL, maxMessage)
	v.mu.Lock() // nobody waits for messages: no one is woken
	defer v.mu.Unlock()
	v.console.add(m)
}

// exception is an error that a script threw.
type exception struct {
	Text  string  `json:"text"`
	URL   string  `json:"url"`
	Line  int     `json:"lineNumber"` // from 0
	Value *remote `json:"exception"`
}

// String is the error as a console shows it.
func (e exception) String() string {
	if e.Value == nil {
		return e.Text
	}
	if e.Value.Description != "" {
		return e.Value.Description
	}
	return strings.TrimSpace(e.Text + " " + e.Value.String())
}
