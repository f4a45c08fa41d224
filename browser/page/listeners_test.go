package page

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/browser/browsertest"
)

// TestListenersInFrames: the listeners of a frame in the same process are its own.
// Its elements stay those of its world, in which fields have labels.
func TestListenersInFrames(t *testing.T) {
	deep := browsertest.Serve(t, "a.example", `<p id=low>Low</p><label>Inner <input onclick="1"></label><script>low.addEventListener('click', () => {})</script>`)
	inner := browsertest.Serve(t, "a.example", `<p id=mid>Mid</p><label>Field <input onclick="1"></label><button onclick="1">Press</button><iframe src="`+deep+`"></iframe><script>mid.addEventListener('click', () => {})</script>`)
	p, _ := show(t, `<p id=top>Top</p><label>Outer <input onclick="1"></label><iframe src="`+inner+`" width=600 height=500></iframe><script>document.getElementById('top').addEventListener('click', () => {})</script>`)
	for range 2 {
		s := snap(t, p, SnapshotOptions{})
		for _, want := range []string{`clickable "Top"`, `clickable "Mid"`, `clickable "Low"`, `textbox "Outer"`, `textbox "Field"`, `textbox "Inner"`} {
			if !strings.Contains(s.Text, want) {
				t.Errorf("no %s in\n%s", want, s.Text)
			}
		}
	}
}
