package page

import (
	"strings"
	"testing"
)

// TestClickable shows what can be clicked although it has no role.
func TestClickable(t *testing.T) {
	p, _ := show(t, `<style>.p { cursor: pointer } .box { width: 20px; height: 20px }</style>
<div class=p>Side <i>bar</i></div><div class=p><span class=inner>Deep</span></div><p id=heard>Heard</p><div id=nothing>Nothing</div>
<div class=p id=both>Message <span id=reply>Reply</span> <span id=like class="box like" style="display:inline-block"></span></div>
<div id=list><span id=one>One</span><button>Two</button></div><div id=root><a href=#x>Far</a></div>
<div tabindex=0>Focus</div><div draggable=true>Carry</div><div id=zone>Zone</div><div id=colour class=box style="background:#ff0000"></div>
<svg width=40 height=40><circle id=dot cx=9 cy=9 r=8 fill=blue /></svg>
<script>for (const id of ['heard', 'reply', 'like', 'one', 'list', 'root', 'colour', 'dot']) document.getElementById(id).addEventListener('click', () => {});
zone.addEventListener('drop', () => {}); document.body.addEventListener('click', () => {});</script>`)
	s := snap(t, p, SnapshotOptions{Interactive: true})
	for _, want := range []string{
		`clickable "Side bar"`, `clickable "Deep"`, `clickable "Heard"`, `clickable "Reply"`, ` like "#like"`, `clickable "One"`, `button "Two"`, `link "Far"`,
		`focusable "Focus"`, `draggable "Carry"`, `dropzone "Zone"`, ` like "#colour #ff0000"`, ` like "circle #dot #0000ff"`,
	} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(s.Text, "Nothing") || strings.Contains(s.Text, "Reply\" e") && strings.Count(s.Text, "Reply") > 1 {
		t.Error("too much is clickable")
	}
	if t.Failed() {
		t.Log("\n" + s.Text)
	}
}
