# Reading what is outside, by detours. SECRET is a key, OWN the database of the
# agent, DIARY a plain file of the home, PROJECT the granted folder.
## hard link to a key
ln "$SECRET" stolen && cat stolen
## hard link to the database
ln "$OWN" stolen.db && cat stolen.db
## link made by python
python3 -c 'import os; os.link(os.environ["SECRET"], "py"); print(open("py").read())'
## symbolic link, then cat
ln -sfn "$SECRET" sym && cat sym
## chain of symbolic links
ln -sfn "$HOME" a && ln -sfn a/.ssh b && cat b/id_ed25519
## link through proc self cwd
ln -sfn /proc/self/cwd/../.ssh/id_ed25519 viaproc && cat viaproc
## relative climb
cat ../.ssh/id_ed25519 ./../../home/.ssh/id_ed25519
## climb by the shell
cd .. && cd .ssh && cat id_ed25519
## root of this process
cat "/proc/self/root$SECRET"
## root of the init of the namespace
cat "/proc/1/root$SECRET"
## root of the parent
cat "/proc/$PPID/root$SECRET"
## working folder of the parent
cat "/proc/$PPID/cwd/../.ssh/id_ed25519"
## root of the decoy process
cat "/proc/$DECOY/root$SECRET" "/proc/$DECOY/cwd/.ssh/id_ed25519"
## every root in proc
cat /proc/[0-9]*/root"$SECRET"
## open files of every process
for f in /proc/[0-9]*/fd/*; do timeout 1 dd if="$f" iflag=nonblock bs=4000 count=1 status=none; done
## files left open for the child
for fd in $(seq 3 60); do head -c 4000 <&$fd; done
## files left open, by python
python3 -c '
import os
for fd in range(3, 300):
    try: os.lseek(fd, 0, 0); print(os.read(fd, 4000))
    except OSError: pass'
## listing of the keys
ls -la "$HOME/.ssh" && echo BRE''ACH
## glob over hidden folders
cat "$HOME"/.[a-z]*/* "$HOME"/.config/*/*
## find in the whole tree
find / -xdev -name 'id_ed25519' -exec cat {} + 2>/dev/null
## grep in the whole home
grep -rh SECRET "$HOME" 2>/dev/null
## tar of the home
tar cf - -C "$HOME" .ssh .aws | strings
## cp of the home
cp -a "$HOME/.ssh" copied && cat copied/*
## mv of the keys into the project
mv "$HOME/.ssh" moved; cat moved/*
## python rename of the keys
python3 -c 'import os; os.rename(os.environ["HOME"]+"/.ssh", "renamed"); print(open("renamed/id_ed25519").read())'
## renameat2 exchange of a file with a key
python3 - <<'PY'
import ctypes, os
open("swap", "w").write("x")
libc = ctypes.CDLL(None, use_errno=True)
if libc.renameat2(-100, b"swap", -100, os.environ["SECRET"].encode(), 2) == 0: print("BRE"+"ACH", open("swap").read())
PY
## openat2 and O_PATH
python3 - <<'PY'
import os
fd = os.open("/", os.O_PATH)
for part in os.environ["SECRET"].strip("/").split("/"): fd = os.open(part, os.O_PATH, dir_fd=fd)
print(open(f"/proc/self/fd/{fd}").read())
PY
## mmap of a key
python3 -c 'import mmap,os; f=os.open(os.environ["SECRET"],0); print(mmap.mmap(f,0,prot=1)[:])'
## sendfile from a key
python3 -c 'import os; os.sendfile(1, os.open(os.environ["SECRET"],0), 0, 9999)'
## splice through a pipe
python3 -c 'import os; f=os.open(os.environ["SECRET"],0); r,w=os.pipe(); os.splice(f,w,4000); print(os.read(r,4000))'
## copy_file_range out of the home
python3 -c 'import os; a=os.open(os.environ["SECRET"],0); b=os.open("cfr",os.O_CREAT|os.O_RDWR,0o600); os.copy_file_range(a,b,4000); print(open("cfr").read())'
## program that reads its own configuration
HOME=$HOME git config --file "$HOME/.netrc" --list; git -c include.path="$SECRET" config --list
## error message that quotes a file
bash "$SECRET"; python3 "$SECRET"; perl "$SECRET"; make -f "$SECRET"; awk -f "$SECRET"
## compiler that quotes a file
printf '#include "%s"\n' "$SECRET" | gcc -E -x c -
## assembler that takes in a file
printf '.incbin "%s"\n' "$SECRET" | gcc -c -x assembler -o blob.o - && strings blob.o
## loader as a reader
LD_PRELOAD="$SECRET" /bin/true; /lib64/ld-linux-x86-64.so.2 "$SECRET"
## interpreter line
printf '#!/bin/cat\n' > reader; chmod +x reader; ./reader "$SECRET"
## script with a file for its interpreter
printf '#!%s\n' "$SECRET" > odd; chmod +x odd; ./odd
## environment of the agent
cat /proc/$PPID/environ /proc/1/environ /proc/self/environ | tr '\0' '\n'
## environment of every process
cat /proc/[0-9]*/environ | tr '\0' '\n'
## command line of every process
cat /proc/[0-9]*/cmdline | tr '\0' ' '
## environment of this process
env; printenv; set
## list of processes
ps auxwwe; ps -eo args
## passwords of the system
cat /etc/shadow /etc/gshadow /etc/shadow- /etc/sudoers && echo BRE''ACH
## keys of the system
cat /etc/ssl/private/* /etc/ssh/ssh_host_*_key && echo BRE''ACH
## core pattern file and kernel memory
head -c 64 /proc/kcore && echo BRE''ACH; head -c 64 /dev/mem && echo BRE''ACH
## shared memory by name
cat /dev/shm/*; ls /dev/shm | grep decoy
## shared memory of System V
ipcs -m | grep -i "$SHMKEY" && echo BRE''ACH
python3 - <<'PY'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
i = libc.shmget(int(os.environ["SHMKEY"], 0), 0, 0)
if i >= 0:
    p = libc.shmat(i, None, 0o10000)
    print(ctypes.string_at(p, 64))
PY
## history and clipboard of the terminal
cat "$HOME/.bash_history" /dev/vcs /dev/vcsa /dev/tty1 && echo BRE''ACH
## logs of the system
cat /var/log/syslog /var/log/auth.log /var/log/dpkg.log && echo BRE''ACH
## other people's homes
ls /home/* /root && cat /root/.bashrc && echo BRE''ACH
## temporary files of others
cat /tmp/decoy-* /var/tmp/decoy-* && echo BRE''ACH
## git as a reader
git diff --no-index /dev/null "$SECRET"
## git over an alternate store
git init -q alt && echo "$HOME/other/.git/objects" > alt/.git/objects/info/alternates && git -C alt cat-file -p "$BLOB"
## git with another folder as its store
git --git-dir="$HOME/other/.git" show HEAD
## curl as a reader
curl -s "file://$SECRET"
## sqlite as a reader
python3 -c 'import sqlite3,os; print(sqlite3.connect(os.environ["OWN"]).execute("select * from secrets").fetchall())'
## zip and cpio
zip -q - "$SECRET" | strings; echo "$SECRET" | cpio -o 2>/dev/null | strings
## inotify tells names in the keys
python3 - <<'PY'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for d in (".ssh", ".aws"):
    try: print([x for x in os.listdir(os.environ["HOME"] + "/" + d)], "BRE"+"ACH")
    except OSError: pass
PY
