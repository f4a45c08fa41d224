# Other processes. DECOY is one of the same user outside, AGENT the one that started all.
## end signal
kill "$DECOY"; kill -9 "$DECOY"; kill -STOP "$DECOY"
## signal to the agent
kill -9 "$AGENT"; kill -STOP "$AGENT"; kill -USR1 "$AGENT"
## signal to all
(trap '' TERM; kill -TERM -1) ; echo sent
## signal by name
pkill -f "decoy-$TOKEN"; killall "decoy-$TOKEN"; skill -KILL "$DECOY"
## signal to a group
kill -9 -- "-$DECOY"
## signal by python
python3 -c 'import os,signal; os.kill(int(os.environ["DECOY"]), signal.SIGKILL)'
## signal with a value, to a thread, through a descriptor
python3 "$HELPER" signals
## memory by proc
dd if="/proc/$DECOY/mem" bs=1 count=16 skip=4194304 && echo BRE''ACH; head -c 100 "/proc/$DECOY/maps" && echo BRE''ACH
## memory of the agent
dd if="/proc/$AGENT/mem" bs=1 count=16 skip=4194304 && echo BRE''ACH; head -c 100 "/proc/$AGENT/maps" && echo BRE''ACH
## environment and arguments
cat "/proc/$DECOY/environ" "/proc/$AGENT/environ" "/proc/$DECOY/cmdline" && echo BRE''ACH
## program, folder and files
readlink "/proc/$DECOY/exe" "/proc/$DECOY/cwd" && echo BRE''ACH; ls "/proc/$DECOY/fd" && echo BRE''ACH
## stack, status and system call
cat "/proc/$AGENT/syscall" "/proc/$AGENT/stack" "/proc/$AGENT/wchan" && echo BRE''ACH
## score for the killer of processes
echo 1000 > "/proc/$DECOY/oom_score_adj" && echo BRE''ACH; echo 1000 > "/proc/$AGENT/oom_score_adj" && echo BRE''ACH
## debugger
gdb -p "$DECOY" -batch -ex quit 2>&1 | grep -q 'Attaching to process' && gdb -p "$DECOY" -batch -ex 'info registers' | grep -q rip && echo BRE''ACH; strace -p "$DECOY" -o tr & sleep 0.2; kill $!; test -s tr && echo BRE''ACH
## ptrace, process_vm_readv, kcmp, pidfd_getfd
python3 "$HELPER" spying
## every call that a sandbox forbids
python3 "$HELPER" kernel
## niceness
renice -n 19 -p "$DECOY"; renice -n 19 -p "$AGENT"
## limits
prlimit --pid "$DECOY" --nofile=3:3; prlimit --pid "$AGENT" --nofile=3:3
## processors
taskset -p 1 "$DECOY"
## scheduling and io
chrt -i -p 0 "$DECOY"; ionice -c3 -p "$DECOY"; ionice -c3 -p "$AGENT"
## writing to someone's terminal
echo evil > "$PTS"; cat < "$PTS" & sleep 0.1; kill $!
## every terminal
for t in /dev/pts/[0-9]* /dev/tty[0-9]* /dev/console; do echo evil > "$t" && echo BRE''ACH; done
## characters for a terminal
python3 "$HELPER" terminals
## namespaces of others
nsenter -t "$DECOY" -m -p -n cat "$SECRET"; nsenter -t 1 -a true && echo BRE''ACH; ls -l "/proc/$DECOY/ns" && echo BRE''ACH
## namespaces of its own
unshare -r true && echo BRE''ACH; unshare -m true && echo BRE''ACH; unshare -Urm mount -t tmpfs t /mnt && echo BRE''ACH; unshare -n true && echo BRE''ACH; unshare -p -f true && echo BRE''ACH
## another sandbox inside
bwrap --ro-bind / / true && echo BRE''ACH; bwrap --unshare-user --dev-bind / / cat "$SECRET"
## mounts
mount -t tmpfs t /mnt && echo BRE''ACH; mount --bind "$HOME/.ssh" . && cat id_ed25519; mount -o remount,rw / && echo BRE''ACH; umount -l "$HOME" && echo BRE''ACH; umount /proc && echo BRE''ACH; fusermount -u "$HOME"
## covers taken off
umount -l /etc/shadow; umount -l /etc/ssl/private; umount -l "$PROJECT"; umount -l /tmp; cat /etc/shadow && echo BRE''ACH
## loop devices
losetup -f x && echo BRE''ACH; head -c 1 /dev/loop-control && echo BRE''ACH
## another root
chroot / true && echo BRE''ACH; chroot /proc/1/root true && echo BRE''ACH
## devices made
mknod disk b 254 0 && echo BRE''ACH; mknod mem c 1 1 && echo BRE''ACH; python3 -c 'import os,stat; os.mknod("kmsg", 0o20600, os.makedev(1,11))' && echo BRE''ACH
## disks
for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/dm-0 /dev/mem /dev/kmem /dev/port /dev/kmsg /dev/fuse /dev/kvm /dev/net/tun /dev/vsock /dev/uinput /dev/input/event0 /dev/snd/timer /dev/dri/card0; do head -c 16 "$d" && echo "BRE""ACH $d"; done
## writing to disks
for d in /dev/vda /dev/sda /dev/nvme0n1; do printf '' >> "$d" && echo "BRE""ACH $d"; done
## raw files of a disk
debugfs -R "cat $SECRET" /dev/vda | grep -q SECRET && echo BRE''ACH
## switches of the kernel
echo h > /proc/sysrq-trigger && echo BRE''ACH; for f in kernel/core_pattern kernel/modprobe kernel/hostname vm/drop_caches fs/suid_dumpable kernel/randomize_va_space; do v=$(cat /proc/sys/$f 2>/dev/null); printf '%s' "$v" > /proc/sys/$f && echo "BRE""ACH $f"; done
## helpers that the kernel starts
echo x > /sys/kernel/uevent_helper && echo BRE''ACH; mkdir /sys/fs/cgroup/evil && echo BRE''ACH; for f in /sys/fs/cgroup/*/release_agent; do test -w "$f" && echo x > "$f" && echo BRE''ACH; done; echo ':x:E::evil::/bin/true:' > /proc/sys/fs/binfmt_misc/register && echo BRE''ACH
## modules, clock, name
insmod x.ko; modprobe dummy && echo BRE''ACH; date -s 2001-01-01 && echo BRE''ACH; hostname evil 2>/dev/null && test "$(uname -n)" = evil && test -z "$NAMESPACE" && echo BRE''ACH; dmesg 2>/dev/null | head -1 | grep . && echo BRE''ACH
## keys of the kernel
keyctl show; keyctl print "$KEYSERIAL"; keyctl search @u user decoy; cat /proc/keys
## queue of messages
ls /dev/mqueue && echo BRE''ACH; ipcs -q | grep -i "$SHMKEY" && echo BRE''ACH
## limits put up again
ulimit -c unlimited && echo BRE''ACH
## core file
(ulimit -c unlimited; kill -SEGV $BASHPID); ls core* && echo BRE''ACH
## library of someone else's choice
echo 'int x;' | gcc -shared -x c -o evil.so - ; LD_PRELOAD=$PWD/evil.so sudo -n cat "$SECRET"; LD_PRELOAD=$PWD/evil.so su -c "cat $SECRET" </dev/null
## survivor by nohup
nohup setsid sleep 31$SURVIVE >/dev/null 2>&1 &
## survivor that disowns
(sleep 32$SURVIVE & disown) >/dev/null 2>&1
## survivor by two forks, without the mark [namespace]
env -i setsid bash -c '(exec sleep 33'$SURVIVE') >/dev/null 2>&1 & ' &
## survivor by python [namespace]
python3 -c '
import os,sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        n = os.open("/dev/null", 2)
        for i in (0,1,2): os.dup2(n, i)
        os.execve("/bin/sleep", ["sleep", "34'$SURVIVE'"], {})
    os._exit(0)'
## survivor by the manager of the session
systemd-run --user sleep 35$SURVIVE && echo BRE''ACH; dbus-send --session --dest=org.freedesktop.systemd1 / x.y && echo BRE''ACH; screen -dmS x sleep 36$SURVIVE
## bomb of processes, a small one
for i in $(seq 60); do (sleep 37$SURVIVE) >/dev/null 2>&1 & done; true
