"""A window with a button and a field. It writes down what was done to it, so that
its own state, and not a picture, tells whether an act arrived."""
import sys
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

log = open(sys.argv[1], "a", buffering=1, encoding="utf-8")
window = Gtk.Window(title="Pad")
window.set_default_size(400, 300)
window.move(300, 200)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
button = Gtk.Button(label="Press me")
button.set_size_request(400, 150)
button.connect("clicked", lambda *_: log.write("clicked\n"))
entry = Gtk.Entry()
entry.set_size_request(400, 150)
entry.connect("changed", lambda e: log.write("text " + e.get_text() + "\n"))
box.pack_start(button, True, True, 0)
box.pack_start(entry, True, True, 0)
window.add(box)
window.connect("destroy", Gtk.main_quit)


def tell(*_):
    for name, widget in (("button", button), ("entry", entry)):
        a = widget.get_allocation()
        _, x, y = window.get_window().get_origin()
        log.write("%s %d %d\n" % (name, x + a.x + a.width // 2, y + a.y + a.height // 2))


window.connect("map-event", lambda *_: __import__("gi.repository.GLib", fromlist=["GLib"]).timeout_add(300, tell))
window.show_all()
Gtk.main()
