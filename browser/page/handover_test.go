package page

import (
	"math"
	"testing"

	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/browser/cdp"
)

// TestBox holds where elements are, through frames of the same and of other
// origins, and after the page was scrolled.
func TestBox(t *testing.T) {
	const field = `<body style="margin:0"><div style="height:30px"></div><button style="position:absolute;left:10px;top:40px;width:100px;height:20px;border:0">`
	same := browsertest.Serve(t, "a.example", field+"Same</button>")
	other := browsertest.Serve(t, "b.example", field+"Other</button>")
	p, _ := show(t, `<body style="margin:0"><div style="height:1500px"></div>
<button style="position:absolute;left:5px;top:1510px;width:50px;height:20px;border:0">Top</button>
<iframe src="`+same+`" style="position:absolute;left:200px;top:1600px;width:300px;height:100px;border:7px solid;padding:0"></iframe>
<iframe src="`+other+`" style="position:absolute;left:200px;top:1800px;width:300px;height:100px;border:7px solid;padding:0"></iframe>`)
	for name, want := range map[string]Box{
		`button "Top"`: {5, 1510, 50, 20}, `button "Same"`: {217, 1647, 100, 20}, `button "Other"`: {217, 1847, 100, 20},
	} {
		got, err := p.Box(background(t), ref(t, p, name))
		off := math.Abs(got.X-want.X) + math.Abs(got.Y-want.Y) + math.Abs(got.Width-want.Width) + math.Abs(got.Height-want.Height)
		if err != nil || off > 1 {
			t.Errorf("%s is at %+v, %v; want %+v", name, got, err, want)
		}
	}
	if _, err := p.Box(background(t), "e9999"); err == nil {
		t.Error("a reference that was not given has a place")
	}
}

func TestControl(t *testing.T) {
	p, _ := show(t, `<label>File <input type=file></label><p>text</p>`)
	var got evaluation
	err := p.Control(background(t), ref(t, p, `"File"`), func(s *cdp.Session, id string) error {
		return s.Call(background(t), "Runtime.callFunctionOn", map[string]any{"objectId": id, "functionDeclaration": "function() { return this.type }", "returnByValue": true}, &got)
	})
	if err != nil || string(got.Result.Value) != `"file"` {
		t.Errorf("%s, %v", got.Result.Value, err)
	}
	if err := p.Control(background(t), "e9999", nil); err == nil {
		t.Error("a reference that was not given has a field")
	}
}
