package main

import (
	"io"
	"strings"
	"testing"
)

// TestNoDisplay: where there is no screen the helper answers, and says of
// everything why it does not work.
func TestNoDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	var out strings.Builder
	in := strings.NewReader(`{"id":1,"method":"hello","params":{"protocol":2}}` + "\n" + `{"id":2,"method":"capture"}` + "\n")
	if err := run(t.Context(), nil, in, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"display_server":"none"`, `{"name":"capture","works":false,"reason":"DISPLAY is empty: there is no X display","fix":`,
		`{"id":2,"error":{"code":"unsupported","message":"capture does not work here: DISPLAY is empty: there is no X display","fix":`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the answers %s lack %s", out.String(), want)
		}
	}
}

func TestArguments(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"unknown flag":  {[]string{"--what"}, "flag provided but not defined"},
		"guard of what": {[]string{"--guard", "it"}, "--guard"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), tt.args, strings.NewReader(""), io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("run(%q) = %v, want %q in it", tt.args, err, tt.want)
			}
		})
	}
}
