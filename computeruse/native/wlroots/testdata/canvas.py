"""A full window in four colours, with a field at its upper edge. It tells every
input that it gets as a line of JSON: the judge of what was done."""
import json
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402


def tell(**what):
    print(json.dumps(what), flush=True)


window = Gtk.Window(title="Canvas")
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)
entry = Gtk.Entry()
entry.connect("changed", lambda e: tell(what="text", text=e.get_text()))
area = Gtk.EventBox(can_focus=True)
box.pack_start(entry, False, False, 0)
box.pack_start(area, True, True, 0)
area.add_events(
    Gdk.EventMask.BUTTON_PRESS_MASK | Gdk.EventMask.BUTTON_RELEASE_MASK | Gdk.EventMask.SCROLL_MASK | Gdk.EventMask.POINTER_MOTION_MASK
)
style = Gtk.CssProvider()
style.load_from_data(b"#red{background:#f00} #green{background:#0f0} #blue{background:#00f} #yellow{background:#ff0}")
Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), style, 800)
grid = Gtk.Grid(row_homogeneous=True, column_homogeneous=True)
for i, colour in enumerate(("red", "green", "blue", "yellow")):
    grid.attach(Gtk.Box(name=colour, hexpand=True, vexpand=True), i % 2, i // 2, 1, 1)
area.add(grid)


def at(e):
    x, y = area.translate_coordinates(window, int(e.x), int(e.y))
    return {"x": x, "y": y}


def mods(e):
    s = e.state
    return [n for n, m in (("shift", Gdk.ModifierType.SHIFT_MASK), ("ctrl", Gdk.ModifierType.CONTROL_MASK), ("alt", Gdk.ModifierType.MOD1_MASK)) if s & m]


def press(_, e):
    if e.type == Gdk.EventType.BUTTON_PRESS:
        area.grab_focus()
        tell(what="press", button=e.button, mods=mods(e), **at(e))
    return True


def scroll(_, e):
    if e.direction != Gdk.ScrollDirection.SMOOTH:
        tell(what="scroll", direction=e.direction.value_nick, **at(e))
    else:
        tell(what="scroll", dx=e.delta_x, dy=e.delta_y, **at(e))
    return True


def key(_, e):
    if not entry.is_focus() and not Gdk.keyval_name(e.keyval).endswith(("_L", "_R")):
        tell(what="key", key=Gdk.keyval_name(e.keyval), mods=mods(e))
    return False


area.connect("button-press-event", press)
area.connect("button-release-event", lambda _, e: tell(what="release", button=e.button, **at(e)) or True)
area.connect("motion-notify-event", lambda _, e: tell(what="motion", **at(e)) or True)
area.connect("scroll-event", scroll)
window.connect("key-press-event", key)
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, lambda *_: Gtk.main_quit() or False)
window.connect("destroy", Gtk.main_quit)
window.show_all()
GLib.timeout_add(700, lambda: tell(what="ready", w=window.get_size()[0], h=window.get_size()[1]) or False)
Gtk.main()
