# Changing what is outside. Any change of the decoy home is found afterwards.
## key that lets someone sign in
mkdir -p "$HOME/.ssh"; echo evil >> "$HOME/.ssh/authorized_keys"
## key in place of one that is not there
mkdir -p "$HOME/.gnupg2" "$HOME/.vault-token"; echo evil > "$HOME/.git-credentials.new"
## start file of the shell
echo evil >> "$HOME/.bashrc"; echo evil >> "$HOME/.profile"; echo evil > "$HOME/.bash_login"
## start file by mv
echo evil > rc && mv -f rc "$HOME/.bashrc"
## start file by sed
sed -i 's/^/evil/' "$HOME/.bashrc"
## start file by tee
echo evil | tee -a "$HOME/.profile" "$HOME/.zshrc"
## start file by dd
echo evil | dd of="$HOME/.bashrc" conv=notrunc
## start file by python
python3 -c 'import os; open(os.environ["HOME"]+"/.bashrc","a").write("evil")'
## program of the desktop's start
mkdir -p "$HOME/.config/autostart"; echo evil > "$HOME/.config/autostart/evil.desktop"
## unit of systemd
mkdir -p "$HOME/.config/systemd/user"; echo evil > "$HOME/.config/systemd/user/evil.service"
## program on the path
mkdir -p "$HOME/.local/bin" "$HOME/bin"; echo evil > "$HOME/.local/bin/git"; echo evil > "$HOME/bin/tool"
## hook of another repository
echo evil > "$HOME/other/.git/hooks/pre-commit"; chmod +x "$HOME/other/.git/hooks/pre-commit"
## config of another repository
git -C "$HOME/other" config core.fsmonitor evil
## commit into another repository
git -C "$HOME/other" -c user.name=a -c user.email=a@b commit -q --allow-empty -m evil
## global config of git
git config --global core.pager evil; git config --file "$HOME/.gitconfig" alias.x evil
## settings of the agent
echo 'evil = true' >> "$OWNCONFIG"; printf x > "$OWNCONFIG"
## settings of the agent by mv
cp /etc/hostname x.toml; mv -f x.toml "$OWNCONFIG"
## database of the agent
dd if=/dev/zero of="$OWN" bs=1 count=4 conv=notrunc; python3 -c 'import sqlite3,os; sqlite3.connect(os.environ["OWN"]).execute("create table evil(a)")'
## grant for itself
rm -f "$OWN"; rm -rf "$(dirname "$OWN")"
## file of the agent beside the database
echo evil > "$OWN-wal"; echo evil > "$OWN-journal"
## deletion of the home
rm -rf "$HOME"/* "$HOME"/.[a-z]*
## deletion by find
find "$HOME" -mindepth 1 -not -path "$PROJECT*" -delete
## deletion by python
python3 -c 'import shutil,os; shutil.rmtree(os.environ["HOME"]+"/.aws", ignore_errors=True)'
## deletion of a folder by git clean
git -C "$HOME/other" clean -qfdx; rm -rf "$HOME/other"
## shortening
truncate -s 0 "$DIARY"; : > "$DIARY"
## shortening by a call
python3 -c 'import os; os.truncate(os.environ["DIARY"], 0)'
## writing into a mapping
python3 -c 'import mmap,os; f=os.open(os.environ["DIARY"],2); m=mmap.mmap(f,0); m[0:4]=b"evil"'
## mode for everyone
chmod 777 "$SECRET" "$DIARY" "$HOME"
## mode by a number of ways
python3 - <<'PY'
import os
for p in (os.environ["SECRET"], os.environ["DIARY"], os.environ["OWN"]):
    for f in (lambda: os.chmod(p, 0o777), lambda: os.chmod(p, 0o777, dir_fd=os.open("/", os.O_RDONLY)), lambda: os.fchmod(os.open(p, os.O_RDONLY), 0o777)):
        try: f()
        except OSError: pass
PY
## mode through a descriptor of a file to be read
python3 -c 'import os; os.fchmod(os.open(os.environ["READONLY"],0), 0o777)'
## mode through a link in the project
ln -sfn "$SECRET" l1; chmod 777 l1; chmod 777 "/proc/self/root$SECRET" "/proc/self/cwd/../.ssh/id_ed25519"
## mode through links in proc of the parent
chmod 777 "/proc/$PPID/root$SECRET" "/proc/1/root$SECRET" "/proc/$DECOY/cwd/.ssh/id_ed25519"
## times
touch "$SECRET" "$DIARY"; touch -d 1999-01-01 "$HOME/.bashrc"; touch -h -d 1999-01-01 "$HOME/link"
## times by a call
python3 -c 'import os; os.utime(os.environ["SECRET"], (1,1)); os.utime(os.environ["DIARY"])'
## times through a descriptor
python3 -c 'import os; os.utime(os.open(os.environ["READONLY"],0), (1,1))'
## owner
chown 1000:1000 "$SECRET" "$DIARY"; chgrp 1 "$DIARY"
## extended attributes
setfattr -n user.evil -v 1 "$DIARY"; python3 -c 'import os; os.setxattr(os.environ["DIARY"], "user.evil", b"1")'
## flags of the file system
chattr +A "$DIARY"; chattr +d "$READONLY"
## folder that may only be read
echo evil > "$READONLY.new"; echo evil >> "$READONLY"; rm -f "$READONLY"; mv "$READONLY" x
## folder that may only be read, by link
ln "$READONLY" hard && echo evil >> hard
## new folder beside the project
mkdir "$HOME/beside"; mkdir "$PROJECT/../beside2"; touch "$HOME/beside.txt"
## rename of the project itself
mv "$PROJECT" "$HOME/elsewhere"
## removal of the project itself
cd / && rmdir "$PROJECT" && echo BRE''ACH
## project replaced by a link
cd / && rm -rf "$PROJECT" 2>/dev/null; ln -sfn "$HOME/.ssh" "$PROJECT"
## moving a folder of the home in and back
mv "$HOME/private" mine && echo evil > mine/diary.txt && mv mine "$HOME/private"
## fifo and socket outside
mkfifo "$HOME/fifo"; python3 -c 'import socket,os; s=socket.socket(socket.AF_UNIX); s.bind(os.environ["HOME"]+"/sock")'
## crontab
echo '* * * * * evil' | crontab -; echo evil > /etc/cron.d/evil; echo evil > /var/spool/cron/crontabs/root
## job for later
echo evil | at now + 1 minute
## settings of the system
echo evil >> /etc/profile; echo evil > /etc/profile.d/evil.sh; echo evil > /etc/ld.so.preload; echo evil >> /etc/hosts; echo evil >> /etc/passwd
## programs of the system
cp /bin/true /usr/local/bin/evil; echo evil > /usr/bin/evil; ln -sf /bin/true /usr/local/bin/evil2
## sticky file in the shared folder of everyone
echo evil > /tmp/evil-$TOKEN; echo evil > /var/tmp/evil-$TOKEN; echo evil > /dev/shm/evil-$TOKEN
## patch that leads outside
printf -- '--- a/x\n+++ b/../../.bashrc\n@@ -1 +1 @@\n-a\n+evil\n' | patch -p1 -f; printf -- '--- /dev/null\n+++ %s/.evil\n@@ -0,0 +1 @@\n+evil\n' "$HOME" | patch -p0 -f
## archive that leads outside
mkdir -p t && (cd t && ln -s "$HOME" out && tar cf ../evil.tar out && rm out && mkdir out && echo evil > out/.bashrc && tar rf ../evil.tar out/.bashrc); tar xf evil.tar; tar xPf evil.tar
## archive with absolute names
tar cPf abs.tar --transform "s|^|$HOME/.x|" /etc/hostname; tar xPf abs.tar
## make install into the home
printf 'install:\n\tinstall -m 755 /bin/true %s/bin/evil\n\tcp /bin/true %s/.bashrc\n' "$HOME" "$HOME" > M; make -s -f M install
## program with its owner's rights
cp /bin/bash sbash; chmod u+s sbash; chmod 4755 sbash; chmod g+s sbash; install -m 4755 /bin/bash sbash2; find . -perm /6000 -type f | grep . && echo BRE''ACH
## such a program by calls
python3 - <<'PY'
import os
def t(f):
    try: f()
    except OSError: pass
t(lambda: os.open("s1", os.O_CREAT | os.O_WRONLY, 0o4755)); t(lambda: os.mknod("s2", 0o104755)); t(lambda: os.chmod("s1", 0o6755)); t(lambda: os.fchmod(os.open("s1", os.O_RDWR), 0o4755))
for n in ("s1", "s2"):
    if os.path.exists(n) and os.stat(n).st_mode & 0o6000: print("BRE"+"ACH", n)
PY
## such a program out of an archive
python3 - <<'PY'
import tarfile, io
t = tarfile.open("suid.tar", "w"); i = tarfile.TarInfo("suid"); i.mode = 0o4755; i.size = 1; t.addfile(i, io.BytesIO(b"x")); t.close()
PY
tar xpf suid.tar; test -u suid && echo BRE''ACH
## capability on a file
setcap cap_sys_admin+ep sbash && echo BRE''ACH
## rights by sudo, su and the like
sudo -n true && echo BRE''ACH; su -c true </dev/null && test "$(id -u)" != 0 && echo BRE''ACH; pkexec true && echo BRE''ACH; newuidmap $$ 0 0 1 && echo BRE''ACH
