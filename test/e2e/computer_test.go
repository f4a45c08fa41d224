package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png" // what pictures of the screen are
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider/providertest"
	"github.com/hobkin/hobkin/test/desk"
	"github.com/hobkin/hobkin/test/suite"
)

// A player is a model behind Chat Completions that plays its answers in order.
type player struct {
	mu      sync.Mutex
	answers []string
	asked   []string // bodies
}

func (p *player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := make([]byte, r.ContentLength)
	for n := 0; n < len(body); {
		k, err := r.Body.Read(body[n:])
		if n += k; err != nil {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, string(body))
	answer := `{"choices":[{"message":{"content":"The script is over."},"finish_reason":"stop"}]}`
	if len(p.answers) > 0 {
		answer, p.answers = p.answers[0], p.answers[1:]
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(answer))
}

func (p *player) play(answers ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = answers
}

// does is an answer that calls computer_use.
func does(id int, args map[string]any) string {
	raw, _ := json.Marshal(args)
	quoted, _ := json.Marshal(string(raw))
	return fmt.Sprintf(`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"computer_use","arguments":%s}}]},"finish_reason":"tool_calls"}]}`, id, quoted)
}

const says = `{"choices":[{"message":{"content":"Done."},"finish_reason":"stop"}]}`

// A pad is the window that is used, and judges.
type pad struct {
	d   *desk.Desk
	log string
}

func openPad(t *testing.T, d *desk.Desk) *pad {
	t.Helper()
	p := &pad{d, filepath.Join(d.Home, "pad.log")}
	d.Go("/usr/bin/python3", filepath.Join(suite.Root(t), "test", "e2e", "testdata", "pad.py"), p.log)
	d.Window("Pad")
	return p
}

// lines are what it wrote down that begins so.
func (p *pad) lines(t *testing.T, prefix string) (out []string) {
	t.Helper()
	for line := range strings.Lines(read(t, p.log)) {
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), prefix); ok {
			out = append(out, strings.TrimPrefix(rest, " "))
		}
	}
	return out
}

// place is the middle of one of its things on the screen.
func (p *pad) place(t *testing.T, name string) (x, y int) {
	t.Helper()
	p.d.Until("the place of the "+name, func() bool {
		list := p.lines(t, name)
		if len(list) == 0 {
			return false
		}
		_, err := fmt.Sscan(list[len(list)-1], &x, &y)
		return err == nil
	})
	return x, y
}

// TestComputerUse uses a real window with the real helper: a person agrees to the
// program once, the acts arrive, pausing refuses them, and a click on the tray
// icon, which is the stop button then, ends the turn.
func TestComputerUse(t *testing.T) {
	d := desk.Start(t)
	model := &player{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	project := home(t, d)
	write(t, filepath.Join(d.Home, ".config", "hobkin", "config.toml"), fmt.Sprintf(`[agent]
workspace = %q
[models.main]
provider = "mock"
model = "gpt-5"
[providers.mock]
kind = "openai_chat"
base_url = %q
[computer_use]
enabled = true
`, project, server.URL+"/v1"))
	p := openPad(t, d)
	bx, by := p.place(t, "button")
	ex, ey := p.place(t, "entry")
	app := d.Go(program(t, "hobkin-desktop"), "--background")
	item := d.Tray("Hobkin")
	c := client(t, d)
	w := watch(t, c)
	click := func(id, x, y int) string {
		return does(id, map[string]any{"action": "left_click", "observation_id": "last", "x": x, "y": y})
	}
	look := does(0, map[string]any{"action": "screenshot"})

	const text = "Grüße, 你好"
	model.play(look, click(1, bx, by), click(2, ex, ey), does(3, map[string]any{"action": "type", "text": text}), says)
	send(t, c, "press it")
	ask, _ := next[agent.ApprovalRequested](w, "the question about the program", nil)
	if ask.Tool != "computer_use" || len(ask.Preview.Apps) != 1 || !strings.Contains(ask.Rule, "app:") || len(p.lines(t, "clicked")) != 0 {
		t.Fatalf("asked %+v", ask)
	}
	if err := c.Answer(t.Context(), control.ApprovalAnswer{ID: ask.ID, Fingerprint: ask.Fingerprint, Decision: "always", By: "test"}); err != nil {
		t.Fatal(err)
	}
	next[agent.TurnCompleted](w, "the end of the turn", nil)
	d.Until("the text in the field", func() bool { l := p.lines(t, "text"); return len(l) > 0 && l[len(l)-1] == text })
	if n := len(p.lines(t, "clicked")); n != 1 {
		t.Errorf("the button was clicked %d times", n)
	}
	if st, err := c.Computer(t.Context()); err != nil || len(st.Allowed) != 1 || st.Allowed[0] != ask.Preview.Apps[0] {
		t.Errorf("allowed %v, %v", st.Allowed, err)
	}

	picturesArePictures(t, model)
	pauseAndStop(t, d, w, c, item, func(acts ...string) { model.play(acts...) }, click(4, bx, by), look)
	if n := len(p.lines(t, "clicked")); n != 2 {
		t.Errorf("the button was clicked %d times in all", n)
	}
	_ = c.Quit(t.Context()) // its answer may be lost as the desktop ends
	if err := app.Wait(); err != nil {
		t.Errorf("after Quit: %v", err)
	}
}

func send(t *testing.T, c *control.Client, text string) {
	t.Helper()
	if _, err := c.Send(t.Context(), control.SendRequest{Text: text, Channel: "desktop", Attended: true, Mode: "ask"}); err != nil {
		t.Fatal(err)
	}
}

// pauseAndStop pauses from a terminal, resumes from the tray, and stops with a
// click on the icon while the agent waits within a turn that used the screen.
func pauseAndStop(t *testing.T, d *desk.Desk, w *watcher, c *control.Client, item *desk.Item, play func(...string), click, look string) {
	t.Helper()
	if out, err := d.Run(program(t, "hobkin"), "computer", "pause"); err != nil {
		t.Fatalf("hobkin computer pause: %v %s", err, out)
	}
	play(look, click, says)
	send(t, c, "press it again")
	refused, _ := next(w, "the act to be refused", func(p agent.ToolCompleted) bool { return p.Failed })
	if refused.Code != "paused" {
		t.Errorf("while it is paused: %+v", refused)
	}
	next[agent.TurnCompleted](w, "the end of the turn", nil)
	d.Until("the tray to say that it is paused", func() bool { _, ok := item.Row("Resume computer use"); return ok })
	item.Choose("Resume computer use")
	d.Until("the tray to offer a pause", func() bool { _, ok := item.Row("Pause computer use"); return ok })

	play(look, click, does(9, map[string]any{"action": "wait_for_change", "ms": 25_000}), says)
	send(t, c, "press it and wait")
	next(w, "the act", func(p agent.ToolCompleted) bool { return strings.Contains(string(p.Data), "left_click") && !p.Failed })
	d.Until("the tray to say what is used", func() bool { _, ok := item.Row("Using “"); return ok })
	if err := item.Activate(); err != nil {
		t.Fatalf("a left click on the icon: %v", err)
	}
	next[agent.TurnCancelled](w, "the turn to be stopped", nil)
	if d.HasWindow("Hobkin") {
		t.Error("the click opened the chat, too")
	}
}

// picturesArePictures holds that the screen reaches the model as a picture that
// it can take, and never as text.
func picturesArePictures(t *testing.T, model *player) {
	t.Helper()
	model.mu.Lock()
	defer model.mu.Unlock()
	shown := 0
	for _, body := range model.asked {
		a, err := providertest.ParseAsked("/chat/completions", body)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range a.Entries {
			switch {
			case e.Kind == "image":
				shown++
				raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(e.Text, "data:image/png;base64,"))
				cfg, kind, err2 := image.DecodeConfig(bytes.NewReader(raw))
				if err != nil || err2 != nil || kind != "png" || max(cfg.Width, cfg.Height) > 1568 {
					t.Errorf("a picture of %d×%d, %s: %v %v", cfg.Width, cfg.Height, kind, err, err2)
				}
			case len(e.Text) > 10_000 || strings.Contains(e.Text, "iVBOR"):
				t.Errorf("a %s holds %d bytes: %.80s…", e.Kind, len(e.Text), e.Text)
			}
		}
	}
	if shown == 0 {
		t.Error("the model saw no picture")
	}
}
