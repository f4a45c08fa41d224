"""A window that tells, as lines of JSON, what it got of pointer and keys.

It is the judge in the tests of package x11. Commands come as lines:
text, clear, focus, copy TEXT, picture, clipboard, quit.
"""

import hashlib
import json
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GdkPixbuf, GLib, Gtk  # noqa: E402

# on a busy machine the clicks of one double or triple click may lie far apart
Gtk.Settings.get_default().set_property("gtk-double-click-time", 2000)

title = sys.argv[1] if len(sys.argv) > 1 else "fixture"


def tell(**what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def mods(state):
    names = []
    for name, mask in (
        ("ctrl", Gdk.ModifierType.CONTROL_MASK),
        ("shift", Gdk.ModifierType.SHIFT_MASK),
        ("alt", Gdk.ModifierType.MOD1_MASK),
        ("super", Gdk.ModifierType.MOD4_MASK),
    ):
        if state & mask:
            names.append(name)
    return names


window = Gtk.Window(title=title)
window.set_default_size(640, 420)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
area = Gtk.EventBox()
area.set_size_request(640, 240)
area.add_events(
    Gdk.EventMask.BUTTON_PRESS_MASK
    | Gdk.EventMask.BUTTON_RELEASE_MASK
    | Gdk.EventMask.POINTER_MOTION_MASK
    | Gdk.EventMask.SCROLL_MASK
)
view = Gtk.TextView()
view.set_size_request(640, 150)
box.pack_start(area, False, False, 0)
box.pack_start(view, True, True, 0)
window.add(box)


def button(_, e):
    kinds = {
        Gdk.EventType.BUTTON_PRESS: "press",
        Gdk.EventType.BUTTON_RELEASE: "release",
        Gdk.EventType._2BUTTON_PRESS: "double",
        Gdk.EventType._3BUTTON_PRESS: "triple",
    }
    tell(event=kinds[e.type], button=e.button, x=int(e.x_root), y=int(e.y_root), mods=mods(e.state))
    return True


def motion(_, e):
    tell(event="motion", x=int(e.x_root), y=int(e.y_root), down=bool(e.state & Gdk.ModifierType.BUTTON1_MASK))


def scroll(_, e):
    tell(event="scroll", way=e.direction.value_nick, mods=mods(e.state))
    return True


def key(_, e):
    kind = "key" if e.type == Gdk.EventType.KEY_PRESS else "keyup"
    tell(event=kind, name=Gdk.keyval_name(e.keyval), mods=mods(e.state))
    return False


css = Gtk.CssProvider()
css.load_from_data(
    b"#area { background-image: linear-gradient(to right, #f00 25%, #0f0 25%, #0f0 50%, #00f 50%, #00f 75%, #fff 75%); }"
)
area.set_name("area")
area.get_style_context().add_provider(css, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
area.connect("button-press-event", button)
area.connect("button-release-event", button)
area.connect("motion-notify-event", motion)
area.connect("scroll-event", scroll)
window.connect("key-press-event", key)
window.connect("key-release-event", key)
window.connect("destroy", lambda _: Gtk.main_quit())


def place(w):
    _, x, y = window.get_window().get_origin()
    dx, dy = w.translate_coordinates(window, 0, 0)
    a = w.get_allocation()
    return dict(x=x + dx, y=y + dy, w=a.width, h=a.height)


def picture():
    p = GdkPixbuf.Pixbuf.new(GdkPixbuf.Colorspace.RGB, False, 8, 700, 500)
    p.fill(0x2266AAFF)
    for i in range(0, 700, 7):  # so that it does not become a small file
        p.new_subpixbuf(i, i * 500 // 700, 3, 3).fill((i * 2654435761) & 0xFFFFFFFF)
    return p


clipboard = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD)


def sum_of(p):
    return hashlib.sha256(p.get_pixels()).hexdigest() if p else ""


def command(_, condition):
    line = sys.stdin.readline()
    if not line:
        Gtk.main_quit()
        return False
    word, _, rest = line.strip().partition(" ")
    buf = view.get_buffer()
    if word == "text":
        tell(answer="text", text=buf.get_text(buf.get_start_iter(), buf.get_end_iter(), True))
    elif word == "clear":
        buf.set_text("")
        tell(answer="clear")
    elif word == "place":
        tell(answer="place", area=place(area), view=place(view), active=window.is_active())
    elif word == "copy":
        clipboard.set_text(rest, -1)
        tell(answer="copy")
    elif word == "picture":
        clipboard.set_image(picture())
        tell(answer="picture", sum=sum_of(picture()))
    elif word == "clipboard":
        clipboard.request_image(
            lambda _, p: clipboard.request_text(lambda _, t: tell(answer="clipboard", text=t or "", sum=sum_of(p)))
        )
    elif word == "quit":
        Gtk.main_quit()
    return True


window.show_all()
view.grab_focus()
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, command)
GLib.idle_add(lambda: tell(answer="ready") and False)
Gtk.main()
