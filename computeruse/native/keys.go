package native

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hobkin/hobkin/computeruse/wire"
)

func (s *Server) typeText(ctx context.Context, st *strike, p wire.TypeParams) (wire.TypeResult, error) {
	return s.put(ctx, st, p, false)
}

func (s *Server) pasteText(ctx context.Context, st *strike, p wire.TypeParams) (wire.TypeResult, error) {
	return s.put(ctx, st, p, true)
}

// put puts in a text, as long as its window is the active one.
func (s *Server) put(ctx context.Context, st *strike, p wire.TypeParams, paste bool) (wire.TypeResult, error) {
	text, err := cleanText(p.Text)
	if err != nil {
		return wire.TypeResult{}, err
	}
	if err := s.activeIs(ctx, p.Window); err != nil {
		return wire.TypeResult{}, err
	}
	if s.parts.Keyboard == nil {
		return wire.TypeResult{}, s.unsupported(wire.CanText)
	}
	still := func() error {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		return s.activeIs(ctx, p.Window)
	}
	do := s.parts.Keyboard.Type
	if paste {
		do = s.parts.Keyboard.Paste
	}
	r, err := do(ctx, text, still)
	st.sent.Store(r.Typed > 0)
	return r, err
}

// cleanText holds a text to what can be typed: line ends become newlines, and
// of control characters only newline and tab are keys.
func cleanText(text string) (string, error) {
	switch {
	case text == "":
		return "", badRequest("the text is empty")
	case len(text) > wire.MaxText:
		return "", badRequest(fmt.Sprintf("a text is at most %d bytes, not %d; put it in in parts", wire.MaxText, len(text)))
	case !utf8.ValidString(text):
		return "", badRequest("the text is not valid UTF-8")
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return "", badRequest(fmt.Sprintf("the text holds the control character %U, which no key has", r))
		}
	}
	return text, nil
}

// activeIs holds that the window with the focus is the one that was meant.
func (s *Server) activeIs(ctx context.Context, want string) error {
	if want == "" {
		return nil
	}
	if s.parts.Windows == nil {
		return s.unsupported(wire.CanWindows)
	}
	id, err := s.parts.Windows.Active(ctx)
	if err != nil {
		return err
	}
	if id == "" {
		id = wire.NoWindow
	}
	if id != want {
		return &wire.Error{Code: wire.UnknownWindow, Message: "another window has the focus now", Fix: "focus the window, and look at it before you go on"}
	}
	return nil
}

// maxRepeat bounds how often keys are tapped.
const maxRepeat = 100

func (s *Server) key(ctx context.Context, st *strike, p wire.KeyParams) (none, error) {
	if p.Repeat == 0 {
		p.Repeat = 1
	}
	if p.Repeat < 1 || p.Repeat > maxRepeat {
		return none{}, badRequest(fmt.Sprintf("repeat is 1 to %d, not %d", maxRepeat, p.Repeat))
	}
	for range p.Repeat {
		if err := s.chord(ctx, st, p.Chord, p.Window, settle); err != nil {
			return none{}, err
		}
	}
	return none{}, nil
}

// maxHold bounds how long keys are held, in ms.
const maxHold = 10_000

func (s *Server) holdKey(ctx context.Context, st *strike, p wire.HoldKeyParams) (none, error) {
	if p.Duration < 1 || p.Duration > maxHold {
		return none{}, badRequest(fmt.Sprintf("duration_ms is 1 to %d, not %d", maxHold, p.Duration))
	}
	return none{}, s.chord(ctx, st, p.Chord, p.Window, time.Duration(p.Duration)*time.Millisecond)
}

// chord holds keys down for a time.
func (s *Server) chord(ctx context.Context, st *strike, chord, window string, d time.Duration) error {
	if s.parts.Keyboard == nil {
		return s.unsupported(wire.CanKeys)
	}
	if err := s.activeIs(ctx, window); err != nil {
		return err
	}
	release, err := s.parts.Keyboard.Hold(ctx, chord)
	if err != nil {
		return err
	}
	st.sent.Store(true)
	werr := Pause(ctx, d)
	if err := release(); err != nil {
		return err
	}
	return werr
}

func (s *Server) press(ctx context.Context, _ *strike, p wire.PressParams) (none, error) {
	if s.parts.Elements == nil {
		return none{}, s.unsupported(wire.CanElements)
	}
	return none{}, s.parts.Elements.Press(ctx, p)
}

func (s *Server) setValue(ctx context.Context, _ *strike, p wire.SetValueParams) (none, error) {
	if s.parts.Elements == nil {
		return none{}, s.unsupported(wire.CanElements)
	}
	return none{}, s.parts.Elements.SetValue(ctx, p)
}

func (s *Server) focusWindow(ctx context.Context, _ *strike, p wire.FocusWindowParams) (none, error) {
	if s.parts.Windows == nil {
		return none{}, s.unsupported(wire.CanWindows)
	}
	return none{}, s.parts.Windows.Focus(ctx, p.Window)
}

// SplitChord cuts a chord at each + that joins. Alone or last, + is the plus key.
func SplitChord(text string) (parts []string) {
	text = strings.TrimSpace(text)
	if text == "+" || strings.HasSuffix(text, "++") {
		text = strings.TrimSuffix(text, "+") + "plus"
	}
	for p := range strings.SplitSeq(text, "+") {
		parts = append(parts, strings.TrimSpace(p))
	}
	return parts
}
