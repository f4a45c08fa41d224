//go:build unix

package x11

import (
	"testing"

	"github.com/hobkin/hobkin/test/desk"
)

// heldOn lists the keys and buttons that are down, as the server has them.
func heldOn(t testing.TB, d *desk.Desk) []string {
	t.Helper()
	held, err := Pressed(t.Context(), d.Display)
	if err != nil {
		t.Fatal(err)
	}
	return held
}
