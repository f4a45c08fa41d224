"""A window of Qt that tells of its own state, as form.py does."""
import json
import os
import sys

from PyQt5.QtCore import QSocketNotifier, QTimer
from PyQt5.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QListWidget, QPushButton, QSlider, QTabWidget, QVBoxLayout, QWidget


def tell(what, value):
    print(json.dumps({"what": what, "value": value}), flush=True)


app = QApplication(sys.argv[:1])
window = QWidget()
window.setWindowTitle(sys.argv[1])
box = QVBoxLayout(window)


def add(widget, signal, what):
    signal.connect(lambda *v: tell(what, v[0] if v else None))
    box.addWidget(widget)
    return widget


button = QPushButton("Send")
add(button, button.clicked, "button")
off = QPushButton("Locked")
off.setEnabled(False)
box.addWidget(off)
check = QCheckBox("Check")
add(check, check.toggled, "check")
label = QLabel("&Name")
box.addWidget(label)
entry = QLineEdit("hello")
label.setBuddy(entry)
add(entry, entry.textChanged, "entry")
secret = QLineEdit("hunter2")
secret.setEchoMode(QLineEdit.Password)
box.addWidget(secret)
combo = QComboBox()
combo.addItems(["red", "green"])
add(combo, combo.currentTextChanged, "combo")
slider = QSlider(1)
add(slider, slider.valueChanged, "slider")
rows = QListWidget()
rows.addItems(["alpha", "beta"])
add(rows, rows.itemSelectionChanged, "rows")
tabs = QTabWidget()
tabs.addTab(QLabel("first"), "One")
tabs.addTab(QLabel("second"), "Two")
add(tabs, tabs.currentChanged, "page")


def ready():
    g = window.geometry()
    tell("ready", {"pid": os.getpid(), "x": g.x(), "y": g.y(), "w": g.width(), "h": g.height()})


end = QSocketNotifier(0, QSocketNotifier.Read)
end.activated.connect(app.quit)
window.show()
QTimer.singleShot(700, ready)
app.exec_()
