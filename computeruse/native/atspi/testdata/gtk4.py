"""A window of GTK 4 that tells of its own state, as form.py does."""
import json
import os
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402


def tell(what, value):
    print(json.dumps({"what": what, "value": value}), flush=True)


def start(app):
    window = Gtk.ApplicationWindow(application=app, title=sys.argv[1])
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window.set_child(box)
    button = Gtk.Button(label="Send")
    button.connect("clicked", lambda b: tell("button", b.get_label()))
    entry = Gtk.Entry(text="hello")
    entry.connect("changed", lambda e: tell("entry", e.get_text()))
    slider = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 5)
    slider.connect("value-changed", lambda s: tell("slider", s.get_value()))
    for w in (button, Gtk.Button(label="Locked", sensitive=False), entry, slider):
        box.append(w)
    window.present()
    GLib.timeout_add(700, ready)


def ready():
    # GTK 4 does not know where its window is: the test asks the X server.
    tell("ready", {"pid": os.getpid(), "x": 0, "y": 0, "w": 0, "h": 0})
    return False


app = Gtk.Application(application_id="io.github.hobkin.Test")
app.connect("activate", start)
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, lambda *_: app.quit() or False)
app.run()
