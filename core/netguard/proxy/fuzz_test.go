package proxy_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/netguard/netguardtest"
	"github.com/hobkin/hobkin/core/netguard/proxy"
)

// Whatever a client of the proxy writes, nothing that is not public is reached,
// and every request is answered.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		"GET http://a.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "CONNECT [::ffff:127.0.0.1]:443 HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT a.example:443 HTTP/1.0\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: 0x7f.1\r\n\r\n", "GET http://①②⑦.1:80/ HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n",
		"POST http://10.0.0.1/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", "GET ws://localhost/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"GET http:a.example HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT http://a.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		f.Add(s)
	}
	w := netguardtest.New(f, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	p := start(f, w, proxy.Options{NoCredentials: true})
	f.Fuzz(func(t *testing.T, text string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			return
		}
		rec := httptest.NewRecorder()
		p.ServeHTTP(rec, r.WithContext(t.Context()))
		if n := w.Reached.Load(); n != 0 {
			t.Fatalf("%q reached what is not public", text)
		}
		if rec.Code >= 400 && rec.Body.Len() == 0 && r.Method != http.MethodHead {
			t.Errorf("%q: %d without a word", text, rec.Code)
		}
		for _, to := range w.Dialled() {
			if !netguardtest.Public(to.Addr()) {
				t.Errorf("%q led to %s", text, to)
			}
		}
	})
}
