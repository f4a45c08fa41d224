package store_test

import (
	"maps"
	"testing"
)

func TestToolPins(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	check := func(server string, want map[string]string) {
		t.Helper()
		got, err := s.ToolPins(t.Context(), server)
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", server, got, err, want)
		}
	}
	check("mail", map[string]string{})
	for _, more := range []map[string]string{{"send": "1", "list": "1"}, {"send": "2"}, {}} {
		if err := s.PinTools(t.Context(), "mail", more); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PinTools(t.Context(), "other", map[string]string{"send": "x"}); err != nil {
		t.Fatal(err)
	}
	check("mail", map[string]string{"send": "2", "list": "1"})
	if err := s.UnpinTools(t.Context(), "mail"); err != nil {
		t.Fatal(err)
	}
	check("mail", map[string]string{})
	check("other", map[string]string{"send": "x"})
}
