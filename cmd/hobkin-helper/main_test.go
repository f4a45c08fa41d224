package main

import (
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"hello":        {`{"id":7,"method":"hello"}`, `{"id":7,"result":{"protocol":2,"version":"0.1.0","platform":"","display_server":"","backend":"","capabilities":[]}}`},
		"unknown":      {`{"id":8,"method":"click"}`, `{"id":8,"error":{"code":"bad_request","message":"this helper does not know \"click\""}}`},
		"not JSON":     {`hello?`, `{"error":{"code":"bad_request","message":"the request is not one line of JSON"}}`},
		"end of input": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := serve(strings.NewReader(tt.in+"\n"), &out); tt.in != "" && err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(out.String()); tt.in != "" && got != tt.want {
				t.Errorf("serve(%q) = %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}
