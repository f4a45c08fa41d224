"""A window that tells what reaches it, as lines of JSON: the judge of every act.

bench.py NAME X Y WIDTH HEIGHT: NAME is its title and what it calls itself."""
import json
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

name, x, y, w, h = sys.argv[1], *map(int, sys.argv[2:6])
GLib.set_prgname(name)
Gdk.set_program_class(name)


def tell(what, **value):
    print(json.dumps({"what": what, **value}), flush=True)


window = Gtk.Window(title=name)
window.set_default_size(w, h)
window.move(x, y)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)

# a caret that blinks would be a change of the picture
Gtk.Settings.get_default().set_property("gtk-cursor-blink", False)
# on a busy machine two clicks of one double click may lie far apart
Gtk.Settings.get_default().set_property("gtk-double-click-time", 2000)
style = Gtk.CssProvider()
style.load_from_data(b"#canvas { background: white; } #canvas label { color: #cc0000; }")
Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), style, Gtk.STYLE_PROVIDER_PRIORITY_USER)

canvas = Gtk.EventBox()
canvas.set_name("canvas")
fixed = Gtk.Fixed()
canvas.add(fixed)
canvas.set_size_request(w, h - 200)
canvas.add_events(
    Gdk.EventMask.BUTTON_PRESS_MASK | Gdk.EventMask.BUTTON_RELEASE_MASK | Gdk.EventMask.POINTER_MOTION_MASK
    | Gdk.EventMask.SCROLL_MASK
)
box.pack_start(canvas, True, True, 0)
dots = []


def dot(dx, dy):
    """Leaves a mark that is seen in the picture."""
    dots.append(Gtk.Label(label="\u25a0"))
    fixed.put(dots[-1], max(int(dx) - 5, 0), max(int(dy) - 9, 0))
    dots[-1].show()
    if len(dots) > 6:
        fixed.remove(dots.pop(0))


def at(e):
    return {"x": int(e.x_root), "y": int(e.y_root)}


def held(e):
    names = {"shift": Gdk.ModifierType.SHIFT_MASK, "ctrl": Gdk.ModifierType.CONTROL_MASK, "alt": Gdk.ModifierType.MOD1_MASK}
    return [n for n, m in names.items() if e.state & m]


def press(_, e):
    kinds = {Gdk.EventType.BUTTON_PRESS: 1, Gdk.EventType._2BUTTON_PRESS: 2, Gdk.EventType._3BUTTON_PRESS: 3}
    tell("press", button=e.button, count=kinds.get(e.type, 0), held=held(e), **at(e))
    dot(e.x, e.y)


def release(_, e):
    tell("release", button=e.button, **at(e))


def motion(_, e):
    tell("motion", down=bool(e.state & Gdk.ModifierType.BUTTON1_MASK), **at(e))


def scroll(_, e):
    tell("scroll", direction=e.direction.value_nick, **at(e))
    dot(e.x + 12 * len(dots), e.y)


canvas.connect("button-press-event", press)
canvas.connect("button-release-event", release)
canvas.connect("motion-notify-event", motion)
canvas.connect("scroll-event", scroll)

entry = Gtk.Entry()
entry.set_name("entry")
entry.connect("changed", lambda e: tell("entry", text=e.get_text()))
entry.connect("key-press-event", lambda _, e: tell("key", name=Gdk.keyval_name(e.keyval), held=held(e), code=e.hardware_keycode))
entry.connect("key-release-event", lambda _, e: tell("keyup", name=Gdk.keyval_name(e.keyval)))
label = Gtk.Label.new_with_mnemonic("_Name:")
label.set_mnemonic_widget(entry)
box.pack_start(label, False, False, 0)
box.pack_start(entry, False, False, 0)
button = Gtk.Button(label="Send")
button.connect("clicked", lambda b: (tell("button", label=b.get_label()), label.set_text("sent")))
box.pack_start(button, False, False, 0)
off = Gtk.Button(label="Locked", sensitive=False)
box.pack_start(off, False, False, 0)


def ready():
    _, ox, oy = window.get_window().get_origin()
    size = canvas.get_allocation()
    tell("ready", x=ox, y=oy, w=size.width, h=size.height)
    return False


def order(_, __):
    """Lines on the input: popup X Y, clear, late, quit."""
    words = sys.stdin.readline().split()
    if not words or words[0] == "quit":
        Gtk.main_quit()
        return False
    if words[0] == "clear":
        entry.set_text("")
    if words[0] == "focus":
        entry.grab_focus()
    if words[0] == "popup":
        other = Gtk.Window(title="Thief")
        other.set_default_size(200, 150)
        other.move(int(words[1]), int(words[2]))
        other.show_all()
        other.present()
    if words[0] == "late":
        GLib.timeout_add(int(words[1]), lambda: dot(50, 50))
    tell("done", order=words[0])
    return True


GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, order)
window.connect("destroy", Gtk.main_quit)
window.show_all()
entry.grab_focus()
GLib.timeout_add(200, ready)
Gtk.main()
