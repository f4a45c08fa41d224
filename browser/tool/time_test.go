package tool

import (
	"net/http"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
)

// TestTimeOfALoad: a call says how long a page may take.
func TestTimeOfALoad(t *testing.T) {
	b := sharedBench(t)
	silent := browsertest.Handle(t, "shop.example", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	b.must(`{"action":"open","url":"http://shop.example/list"}`)
	begin := time.Now()
	for _, action := range []string{"navigate", "open"} {
		text := b.fails(`{"action":"`+action+`","url":"`+silent+`","timeout_ms":400}`, browser.NavigationTimeout)
		b.has(text, "400ms")
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	b.must(`{"action":"navigate","url":"http://shop.example/"}`)
}

// TestLateDownload: a page may have to make the file that it hands out.
func TestLateDownload(t *testing.T) {
	b := sharedBench(t)
	url := browsertest.Serve(t, "shop.example", `<button onclick="setTimeout(() => { location = '/report.csv' }, 500)">Make</button>`)
	b.must(`{"action":"open","url":"` + url + `","snapshot":true}`)
	b.has(b.must(`{"action":"download","ref":"e1"}`), "The file is there.", "Downloaded report.csv (8 bytes)")
}
