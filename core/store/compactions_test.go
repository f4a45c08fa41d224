package store_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/store"
)

// recalled writes down what a turn would begin with.
func recalled(t *testing.T, s *store.Store, id string) string {
	t.Helper()
	history, warnings, err := s.Recall(t.Context(), id)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	var out []string
	for _, m := range history {
		out = append(out, m.Parts[0].(provider.Text).Text)
	}
	return strings.Join(out, " ")
}

// TestCompactions appends "TURN:text" in order; * saves a compaction in the
// turn of the message before it, / one between turns.
func TestCompactions(t *testing.T) {
	for name, tt := range map[string]struct{ script, want string }{
		"none":                         {"a:1 a:2 b:3", "1 2 3"},
		"in a turn":                    {"a:1 a:2 b:3 b:4 * b:5 c:6", "<4> 5 6"},
		"between turns":                {"a:1 a:2 / b:3 c:4", "<2> 3 4"},
		"the last one counts":          {"a:1 * a:2 b:3 * b:4", "<3> 4"},
		"queued while it was made":     {"a:1 b:9 a:2 * a:3", "<2> 3 9"},
		"queued during the one before": {"a:1 b:2 c:9 a:3 b:4 * b:5 c:10", "<4> 5 9 10"},
		"the turn before goes on":      {"a:1 b:2 a:3 a:4 b:5 * b:6", "<5> 6"},
		"nothing after it":             {"a:1 a:2 *", "<2>"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			x := session(t, s, "t")
			turn, text, count := "", "", 0
			for step := range strings.FieldsSeq(tt.script) {
				var err error
				switch step {
				case "*":
					err = s.SaveCompaction(t.Context(), x.ID, turn, []provider.Message{say("<" + text + ">")})
				case "/":
					err = s.SaveCompaction(t.Context(), x.ID, "", []provider.Message{say("<" + text + ">")})
				default:
					turn, text, _ = strings.Cut(step, ":")
					err = s.AppendMessage(t.Context(), x.ID, turn, say(text))
					count++
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := recalled(t, s, x.ID); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if n, err := s.Mark(t.Context(), x.ID); err != nil || n != int64(count) {
				t.Errorf("mark %d, %v, want %d", n, err, count)
			}
			if all, _, err := s.Messages(t.Context(), x.ID); err != nil || len(all) != count {
				t.Errorf("%d messages are stored, want %d (%v)", len(all), count, err)
			}
		})
	}
}

// A compaction whose row is damaged costs nothing but time: all messages are
// still there.
func TestCompactionDamaged(t *testing.T) {
	s := open(t, t.TempDir())
	x := session(t, s, "t")
	for i := range 3 {
		if err := s.AppendMessage(t.Context(), x.ID, "a", say(strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SaveCompaction(t.Context(), x.ID, "a", []provider.Message{say("short")}); err != nil {
		t.Fatal(err)
	}
	s.Exec(t, "UPDATE compactions SET messages = x'00'")
	if got := recalled(t, s, x.ID); got != "0 1 2" {
		t.Errorf("got %s", got)
	}
	if err := s.SaveCompaction(t.Context(), x.ID, "no such turn", nil); err == nil {
		t.Error("a turn without messages has a compaction")
	}
	if n, err := s.Mark(t.Context(), "no such session"); n != 0 || err != nil {
		t.Errorf("mark of nothing: %d, %v", n, err)
	}
}
