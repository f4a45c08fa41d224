package x11

import (
	"fmt"
	"testing"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/test/desk"
)

// heldOn lists the keys and buttons that are down, as the server has them, and
// the notes of helpers.
func heldOn(t testing.TB, d *desk.Desk) (held []string) {
	t.Helper()
	c, err := dial(t.Context(), d.Display, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	keys, err := xproto.QueryKeymap(c.Conn).Reply()
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range keys.Keys {
		for bit := range 8 {
			if b&(1<<bit) != 0 {
				held = append(held, fmt.Sprintf("key %d", 8*i+bit))
			}
		}
	}
	p, err := xproto.QueryPointer(c.Conn, c.root).Reply()
	if err != nil {
		t.Fatal(err)
	}
	if p.Mask&0x1f00 != 0 {
		held = append(held, fmt.Sprintf("buttons %#x", p.Mask))
	}
	return held
}
