"""A window with one of each control. It tells on its output what it is, and
every change of its own state, as lines of JSON: the judge of what was done."""
import json
import os
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402


def tell(what, value):
    print(json.dumps({"what": what, "value": value}), flush=True)


title = sys.argv[1] if len(sys.argv) > 1 else "Form"
window = Gtk.Window(title=title)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)

bar, file, menu = Gtk.MenuBar(), Gtk.MenuItem(label="File"), Gtk.Menu()
file.set_submenu(menu)
bar.append(file)
box.add(bar)
for name in ("Save", "Quit"):
    item = Gtk.MenuItem(label=name)
    item.connect("activate", lambda i: tell("menu", i.get_label()))
    menu.append(item)

button = Gtk.Button(label="Send")
button.connect("clicked", lambda b: tell("button", b.get_label()))
box.add(button)
off = Gtk.Button(label="Locked", sensitive=False)
off.connect("clicked", lambda b: tell("button", b.get_label()))
box.add(off)
rename = Gtk.Button(label="Rename")
rename.connect("clicked", lambda b: (tell("button", b.get_label()), b.set_label("Delete all")))
box.add(rename)
vanish = Gtk.Button(label="Vanish")
vanish.connect("clicked", lambda b: (tell("button", b.get_label()), b.destroy()))
box.add(vanish)

lower = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
if "small" not in sys.argv:
    box.add(lower)
box = lower

check = Gtk.CheckButton(label="Check")
check.connect("toggled", lambda c: tell("check", c.get_active()))
box.add(check)
first = Gtk.RadioButton(label="First")
second = Gtk.RadioButton.new_with_label_from_widget(first, "Second")
second.connect("toggled", lambda r: tell("second", r.get_active()))
box.add(first)
box.add(second)
switch = Gtk.Switch()
switch.connect("notify::active", lambda s, _: tell("switch", s.get_active()))
box.add(switch)


def labelled(text, widget):
    row = Gtk.Box(spacing=4)
    label = Gtk.Label.new_with_mnemonic(text)
    label.set_mnemonic_widget(widget)
    row.add(label)
    row.add(widget)
    box.add(row)
    return widget


entry = labelled("_Name:", Gtk.Entry(text="hello"))
entry.connect("changed", lambda e: tell("entry", e.get_text()))
entry.connect("activate", lambda e: tell("sent", e.get_text()))
entry.connect("focus-in-event", lambda e, _: tell("focus", "entry") and False)
password = labelled("_Password:", Gtk.Entry(visibility=False))
password.connect("changed", lambda e: tell("password", e.get_text()))
fixed = labelled("_Fixed:", Gtk.Entry(text="fixed", editable=False))
digits = labelled("_Digits:", Gtk.Entry(max_length=4))
digits.connect("changed", lambda e: tell("digits", e.get_text()))
combo = labelled("_Colour:", Gtk.ComboBoxText())
for name in ("red", "green", "blue"):
    combo.append_text(name)
combo.set_active(0)
combo.connect("changed", lambda c: tell("combo", c.get_active_text()))
slider = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 5)
slider.connect("value-changed", lambda s: tell("slider", s.get_value()))
box.add(slider)
spin = Gtk.SpinButton.new_with_range(0, 10, 1)
spin.connect("value-changed", lambda s: tell("spin", s.get_value()))
box.add(spin)
area = Gtk.TextView()
area.get_buffer().set_text("two\nlines")
area.get_buffer().connect("changed", lambda b: tell("area", b.get_text(*b.get_bounds(), True)))
box.add(area)

store = Gtk.ListStore(str, bool)
for i in range(5000):
    store.append(["row %d" % i, False])
table = Gtk.TreeView(model=store)
table.append_column(Gtk.TreeViewColumn("Row", Gtk.CellRendererText(), text=0))
toggle = Gtk.CellRendererToggle()


def toggled(_, path):
    store[path][1] = not store[path][1]
    tell("cell", [store[path][0], store[path][1]])


toggle.connect("toggled", toggled)
table.append_column(Gtk.TreeViewColumn("On", toggle, active=1))


def chosen(selection):
    model, at = selection.get_selected()
    tell("row", model[at][0] if at else None)


table.get_selection().connect("changed", chosen)
table.connect("row-activated", lambda t, path, _: tell("opened", store[path][0]))
scroll = Gtk.ScrolledWindow(min_content_height=120)
scroll.add(table)
box.add(scroll)

rows = Gtk.ListBox()
for name in ("alpha", "beta"):
    rows.add(Gtk.Label(label=name))
rows.connect("row-selected", lambda _, r: tell("list", r and r.get_child().get_label()))
box.add(rows)
book = Gtk.Notebook()
book.append_page(Gtk.Label(label="first page"), Gtk.Label(label="One"))
book.append_page(Gtk.Button(label="On page two"), Gtk.Label(label="Two"))
book.connect("switch-page", lambda _, p, n: tell("page", n))
box.add(book)


def ready():
    _, x, y = window.get_window().get_origin()
    w, h = window.get_size()
    tell("ready", {"pid": os.getpid(), "x": x, "y": y, "w": w, "h": h})


def order(_, __):
    """Lines on the input: scroll ROW, quit."""
    words = sys.stdin.readline().split()
    if not words or words[0] == "quit":
        Gtk.main_quit()
        return False
    if words[0] == "scroll":
        table.scroll_to_cell(Gtk.TreePath.new_from_string(words[1]), None, True, 0, 0)
        GLib.timeout_add(300, lambda: tell("scrolled", words[1]) and False)
    return True


GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, order)
window.connect("map-event", lambda *_: GLib.timeout_add(300, lambda: ready() and False) and False)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
