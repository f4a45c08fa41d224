package desk

import (
	"strings"

	"github.com/godbus/dbus/v5"
)

// An Item is an icon in the tray, seen as its host sees it.
type Item struct {
	d     *Desk
	owner string
	path  dbus.ObjectPath
}

// Tray waits for the icon with that title.
func (d *Desk) Tray(title string) (it *Item) {
	d.tb.Helper()
	d.Until("the tray icon "+title, func() bool {
		for _, item := range d.items() {
			if item.property("Title") == title {
				it = item
				return true
			}
		}
		return false
	})
	return it
}

func (d *Desk) items() (out []*Item) {
	v, err := d.Bus.Object("org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher").
		GetProperty("org.kde.StatusNotifierWatcher.RegisteredStatusNotifierItems")
	if err != nil {
		return nil
	}
	names, _ := v.Value().([]string)
	for _, n := range names {
		owner, path, _ := strings.Cut(n, "/")
		out = append(out, &Item{d, owner, dbus.ObjectPath("/" + path)})
	}
	return out
}

func (it *Item) object() dbus.BusObject { return it.d.Bus.Object(it.owner, it.path) }

func (it *Item) property(name string) any {
	v, err := it.object().GetProperty("org.kde.StatusNotifierItem." + name)
	if err != nil {
		return nil
	}
	return v.Value()
}

// Icon returns the bytes of the icon's picture, to tell one state from another.
func (it *Item) Icon() []byte {
	v, err := it.object().GetProperty("org.kde.StatusNotifierItem.IconPixmap")
	if err != nil {
		return nil
	}
	var px []struct {
		W, H int32
		Pix  []byte
	}
	if v.Store(&px) != nil || len(px) == 0 {
		return nil
	}
	return px[0].Pix
}

// Activate is a left click on the icon.
func (it *Item) Activate() error {
	return it.object().Call("org.kde.StatusNotifierItem.Activate", 0, int32(0), int32(0)).Err
}

// A Row is a row of the icon's menu.
type Row struct {
	ID      int32
	Label   string
	Enabled bool
	Visible bool
}

// layout is a node of com.canonical.dbusmenu.
type layout struct {
	ID       int32
	Props    map[string]dbus.Variant
	Children []dbus.Variant
}

func (it *Item) menu() dbus.BusObject {
	path, _ := it.property("Menu").(dbus.ObjectPath)
	return it.d.Bus.Object(it.owner, path)
}

// Rows returns the menu, its submenus too, from top to bottom.
func (it *Item) Rows() []Row {
	var rev uint32
	var root layout
	if err := it.menu().Call("com.canonical.dbusmenu.GetLayout", 0, int32(0), int32(-1), []string{}).Store(&rev, &root); err != nil {
		return nil
	}
	return flatten(root, nil)
}

func flatten(l layout, rows []Row) []Row {
	r := Row{ID: l.ID, Enabled: true, Visible: true}
	for name, into := range map[string]any{"label": &r.Label, "enabled": &r.Enabled, "visible": &r.Visible} {
		if v, ok := l.Props[name]; ok {
			_ = v.Store(into) // a property of another type keeps its default
		}
	}
	rows = append(rows, r)
	for _, c := range l.Children {
		var child layout
		if dbus.Store([]any{c.Value()}, &child) == nil {
			rows = flatten(child, rows)
		}
	}
	return rows
}

// Row returns the first row whose label starts with prefix.
func (it *Item) Row(prefix string) (Row, bool) {
	for _, r := range it.Rows() {
		if strings.HasPrefix(r.Label, prefix) {
			return r, true
		}
	}
	return Row{}, false
}

// Choose clicks the row whose label starts with prefix.
func (it *Item) Choose(prefix string) {
	it.d.tb.Helper()
	r, ok := it.Row(prefix)
	if !ok {
		it.d.tb.Fatalf("the tray menu has no row %q; it has %v", prefix, it.Rows())
	}
	err := it.menu().Call("com.canonical.dbusmenu.Event", 0, r.ID, "clicked", dbus.MakeVariant(int32(0)), uint32(0)).Err
	if err != nil {
		it.d.tb.Fatalf("choosing %q: %v", prefix, err)
	}
}
