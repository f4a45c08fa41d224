package process

import (
	"os"
	"testing"
)

func TestParseStat(t *testing.T) {
	const tail = " 5 6 7 0 -1 4194304 1 0 0 0 1 2 3 4 20 0 1 0 99 1 2"
	for name, tt := range map[string]struct {
		line string
		want proc
		ok   bool
	}{
		"plain":            {"4 (sleep) S" + tail, proc{parent: 5, group: 6, session: 7, start: 99}, true},
		"brackets in name": {"4 (a) Z 1 (b) S" + tail, proc{parent: 5, group: 6, session: 7, start: 99}, true},
		"line in name":     {"4 (a\n b) Z" + tail, proc{parent: 5, group: 6, session: 7, start: 99, dead: true}, true},
		"cut":              {"4 (sleep) S 5 6", proc{}, false},
		"no number":        {"4 (sleep) S x" + tail[2:], proc{}, false},
		"empty":            {"", proc{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := parseStat([]byte(tt.line)); ok != tt.ok || got != tt.want {
				t.Errorf("parseStat = %+v, %v; want %+v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
	if p, ok := look(os.Getpid()); !ok || p.parent != os.Getppid() || p.start == 0 || p.dead {
		t.Errorf("of ourselves: %+v, %v", p, ok)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("4 (sleep) S 5 6 7 0 -1 4194304 1 0 0 0 1 2 3 4 20 0 1 0 99 1 2"))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if p, ok := parseStat(raw); !ok && p != (proc{}) {
			t.Errorf("refused, and yet read: %+v", p)
		}
	})
}
