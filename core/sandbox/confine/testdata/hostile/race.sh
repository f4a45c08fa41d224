# Things that change while they are used.
## link swapped under a reader
(for i in $(seq 120); do ln -sfn "$PROJECT/plain" sw; ln -sfn "$SECRET" sw; done) & for i in $(seq 120); do cat sw 2>/dev/null; done | grep SECRET; wait
## folder swapped under a reader
mkdir -p d1; echo ok > d1/id_ed25519; (for i in $(seq 80); do ln -sfn "$HOME/.ssh" d2; rm -f d2; cp -r d1 d2; rm -rf d2; done) 2>/dev/null & for i in $(seq 120); do cat d2/id_ed25519 2>/dev/null; done | grep SECRET; wait
## link swapped under a writer
(for i in $(seq 120); do ln -sfn "$PROJECT/plain" sw2; ln -sfn "$DIARY" sw2; done) & for i in $(seq 120); do echo evil 2>/dev/null >> sw2; done; wait
## link swapped under chmod
(for i in $(seq 120); do ln -sfn "$PROJECT/plain" sw3; ln -sfn "$SECRET" sw3; done) & python3 -c '
import os
for i in range(800):
    try: os.chmod("sw3", 0o777)
    except OSError: pass'; wait
## folder swapped under chmod
mkdir -p e1; touch e1/id_ed25519; python3 - <<'PY'
import os, threading
stop = False
def swap():
    while not stop:
        for to in ("e1", os.environ["HOME"] + "/.ssh"):
            try: os.symlink(to, "e.new"); os.rename("e.new", "e2")
            except OSError: pass
t = threading.Thread(target=swap); t.start()
for i in range(800):
    try: os.chmod("e2/id_ed25519", 0o777)
    except OSError: pass
    try: os.utime("e2/id_ed25519", (1, 1))
    except OSError: pass
stop = True; t.join()
PY
## path changed in memory during the call
python3 "$HELPER" swapping
## folder moved out from under its own feet
mkdir -p deep/er && cd deep/er && mv ../../deep "$PROJECT/away" && cat ../../../.ssh/id_ed25519; cd "$PROJECT/away/er" && rm -rf "$PROJECT/away" && cat ../.ssh/id_ed25519
## descriptor of a folder kept over a move
python3 - <<'PY'
import os
os.makedirs("k/l", exist_ok=True)
fd = os.open("k/l", os.O_RDONLY)
os.rename("k/l", "moved-l")
for up in ("..", "../..", "../../.."):
    try: print(open(os.open(up + "/.ssh/id_ed25519", 0, dir_fd=fd)).read())
    except OSError: pass
PY
## unpacking over a link that was just made
mkdir -p u && ln -sfn "$HOME" u/h && printf evil > f && tar cf u.tar f && tar xf u.tar -C u/h && echo BRE''ACH
## project put aside for a link by a neighbour
(cd "$HOME" && mv project project.old && ln -s .ssh project) && cat "$HOME/project/id_ed25519"
