package inbound

import (
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

func TestExposure(t *testing.T) {
	read := capability.Capability{Name: "file_read", Aliases: []string{"Read"}, Kind: capability.KindBuiltin, Class: capability.ReadOnly}
	write := capability.Capability{Name: "file_write", Kind: capability.KindBuiltin, Class: capability.ReadWrite}
	far := capability.Capability{Name: "mcp_mail_list", Kind: capability.KindMCP, Class: capability.ReadOnly}
	tight := func(change func(*Exposure)) Exposure { // the defaults of the settings
		e := Exposure{Kinds: []capability.Kind{capability.KindBuiltin}, Classes: []capability.Class{capability.ReadOnly}}
		change(&e)
		return e
	}
	for _, tt := range []struct {
		name string
		e    Exposure
		c    capability.Capability
		want bool
	}{
		{"nothing is named", tight(func(*Exposure) {}), read, false},
		{"the zero value", Exposure{Allowed: []string{"file_read"}}, read, false},
		{"named", tight(func(e *Exposure) { e.Allowed = []string{"file_read"} }), read, true},
		{"named by an alias", tight(func(e *Exposure) { e.Allowed = []string{"Read"} }), read, true},
		{"another is named", tight(func(e *Exposure) { e.Allowed = []string{"list_dir"} }), read, false},
		{"a class that is not exposed", tight(func(e *Exposure) { e.Allowed = []string{"file_write"} }), write, false},
		{"a kind that is not exposed", tight(func(e *Exposure) { e.Allowed = []string{"mcp_mail_list"} }), far, false},
		{"named alone", tight(func(e *Exposure) { e.Tools = map[string]Override{"file_write": {Exposed: capability.Yes}} }), write, true},
		{"named alone by an alias", tight(func(e *Exposure) { e.Tools = map[string]Override{"Read": {Exposed: capability.Yes}} }), read, true},
		{"named but hidden", tight(func(e *Exposure) {
			e.Allowed, e.Tools = []string{"file_read"}, map[string]Override{"file_read": {Exposed: capability.No}}
		}), read, false},
		{"a denial beats all", tight(func(e *Exposure) {
			e.Allowed, e.Denied, e.Tools = []string{"file_read"}, []string{"Read"}, map[string]Override{"file_read": {Exposed: capability.Yes}}
		}), read, false},
	} {
		if got := tt.e.shows(&tt.c); got != tt.want {
			t.Errorf("%s: %s is shown: %v, want %v", tt.name, tt.c.Name, got, tt.want)
		}
	}
}
