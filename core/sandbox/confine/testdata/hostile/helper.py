"""Calls of the kernel that no shell makes. Each must be refused: one that is
not prints BREACH. Numbers of calls come from the test, in CALLS."""
import ctypes, errno, json, os, socket, struct, sys, threading

libc = ctypes.CDLL(None, use_errno=True)
NR = json.loads(os.environ["CALLS"])
DECOY = int(os.environ["DECOY"])
HARMLESS = {errno.EPERM, errno.ENOSYS, errno.EACCES, errno.EAFNOSUPPORT, errno.ESRCH, errno.EPROTONOSUPPORT, errno.EBADF}


def call(name, *args, fine=HARMLESS):
    """One call, which must fail for want of rights."""
    if name not in NR:
        return
    ctypes.set_errno(0)
    r = libc.syscall(ctypes.c_long(NR[name]), *[a if isinstance(a, (bytes, ctypes._SimpleCData, ctypes.Array)) or hasattr(a, "contents") else ctypes.c_long(a) for a in args])
    e = ctypes.get_errno()
    word = errno.errorcode.get(e, str(e))
    print("call", name, r, word, "" if r == -1 and e in fine else "BRE"+"ACH")


def kernel():
    z = b"\0" * 256
    call("mount", b"none", b"/mnt", b"tmpfs", 0, 0)
    call("umount2", b"/proc", 2)
    call("pivot_root", b"/", b"/")
    call("chroot", b"/")
    for name in ("open_tree", "open_tree_attr"):
        call(name, -100, b"/", 1)
    call("move_mount", -1, b"", -100, b"/mnt", 4, fine={errno.EPERM})
    call("fsopen", b"tmpfs", 0)
    call("fsconfig", -1, 0, 0, 0, 0, fine={errno.EPERM})
    call("fsmount", -1, 0, 0, fine={errno.EPERM})
    call("fspick", -100, b"/", 0)
    call("mount_setattr", -100, b"/", 0, z, 32)
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x80):
        call("unshare", flag)
        call("clone", flag | 17, 0, 0, 0, 0, fine={errno.EPERM})
    call("clone3", z, 88, fine={errno.ENOSYS})
    for f in ("mnt", "pid", "net", "user"):
        try:
            fd = os.open(f"/proc/self/ns/{f}", 0)
        except OSError:
            fd = 0
        call("setns", fd, 0, fine={errno.EPERM})
    call("bpf", 0, z, 72, fine={errno.EPERM})
    call("keyctl", 0, -3, 1, fine={errno.EPERM})
    call("keyctl", 11, int(os.environ.get("KEYSERIAL", "0")), z, 64, fine={errno.EPERM})
    call("add_key", b"user", b"evil", b"x", 1, -4, fine={errno.EPERM})
    call("request_key", b"user", b"decoy", 0, -4, fine={errno.EPERM})
    call("userfaultfd", 1, fine={errno.EPERM})
    call("perf_event_open", z, 0, -1, -1, 0, fine={errno.EPERM})
    call("io_uring_setup", 8, z, fine={errno.EPERM})
    call("io_uring_enter", -1, 0, 0, 0, 0, fine={errno.EPERM})
    call("io_uring_register", -1, 0, 0, 0, fine={errno.EPERM})
    call("open_by_handle_at", -100, z, 0, fine={errno.EPERM})
    call("name_to_handle_at", -100, os.environ["SECRET"].encode(), struct.pack("Ii", 128, 0) + z, z, 0, fine={errno.EPERM})
    call("fanotify_init", 0, 0, fine={errno.EPERM})
    call("init_module", z, 8, b"", fine={errno.EPERM})
    call("finit_module", -1, b"", 0, fine={errno.EPERM})
    call("delete_module", b"nothing", 0, fine={errno.EPERM})
    call("kexec_load", 0, 0, 0, 0, fine={errno.EPERM})
    call("kexec_file_load", -1, -1, 0, b"", 0, fine={errno.EPERM})
    call("swapon", b"/nothing", 0, fine={errno.EPERM})
    call("swapoff", b"/nothing", fine={errno.EPERM})
    call("reboot", 1, 2, 3, 0, fine={errno.EPERM})  # no magic number: it could not work
    call("settimeofday", 0, 0, fine={errno.EPERM})
    call("clock_settime", 99, z, fine={errno.EPERM})
    call("clock_adjtime", 99, z, fine={errno.EPERM})
    call("sethostname", b"evil", 4, fine={errno.EPERM})
    call("setdomainname", b"evil", 4, fine={errno.EPERM})
    call("acct", b"/nothing", fine={errno.EPERM})
    call("quotactl", 0, b"", 0, 0, fine={errno.EPERM})
    call("syslog", 3, z, 64, fine={errno.EPERM})
    call("vhangup", fine={errno.EPERM})
    call("iopl", 3, fine={errno.EPERM})
    call("ioperm", 0x70, 1, 1, fine={errno.EPERM})
    call("modify_ldt", 0, z, 16, fine={errno.EPERM})
    call("memfd_secret", 0, fine={errno.EPERM})
    call("mknod", b"blk", 0o60600, 0xFE00, fine={errno.EPERM})
    call("mknodat", -100, b"chr", 0o20600, 0x0101, fine={errno.EPERM})
    call("fchmodat2", -100, b".", 0o6755, 0, fine={errno.EPERM})
    call("openat2", -100, b".", z, 24, fine={errno.ENOSYS})
    for f in (17, 25):  # flags where only the low half counts
        call("ptrace", 16, DECOY, 0, 0, fine={errno.EPERM})
    call("clone", (1 << 40) | 0x10000000 | 17, 0, 0, 0, 0, fine={errno.EPERM})
    other_abis()


def other_abis():
    """The calls of 32 bits and of x32, which have other numbers."""
    if os.uname().machine != "x86_64":
        return
    ctypes.set_errno(0)
    r = libc.syscall(ctypes.c_long(0x40000000 | 39))
    print("call x32", r, "" if r == -1 and ctypes.get_errno() == errno.ENOSYS else "BRE"+"ACH")
    import mmap
    code = bytes.fromhex("53b814000000cd805bc3")  # push rbx; mov eax, 20 (getpid); int 0x80; pop rbx; ret
    m = mmap.mmap(-1, 4096, prot=7)
    m.write(code)
    f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
    r = f()
    print("call i386", r, "" if r == -errno.ENOSYS else "BRE"+"ACH")


def signals():
    gone = {errno.EPERM, errno.ESRCH, errno.ENOSYS, errno.EINVAL}
    call("tgkill", DECOY, DECOY, 9, fine=gone)
    call("tkill", DECOY, 9, fine=gone)
    info = struct.pack("iii", 9, 0, -1) + b"\0" * 116
    call("rt_sigqueueinfo", DECOY, 9, info, fine=gone)
    call("rt_tgsigqueueinfo", DECOY, DECOY, 9, info, fine=gone)
    ctypes.set_errno(0)
    fd = libc.syscall(ctypes.c_long(NR["pidfd_open"]), DECOY, 0)
    if fd >= 0:
        call("pidfd_send_signal", fd, 9, 0, 0, fine=gone)
        call("process_mrelease", fd, 0, fine=gone)
    import fcntl, signal
    agent = int(os.environ["AGENT"])
    threads = [t for t in range(agent, agent + 20000) if os.path.exists(f"/proc/{agent}/task/{t}")]  # which Landlock does not hide
    print("threads of the agent:", len(threads))
    for tid in threads:
        for name, args in (("kill", (tid, 9)), ("tkill", (tid, 9)), ("tgkill", (agent, tid, 9)), ("rt_tgsigqueueinfo", (agent, tid, 9, info)), ("rt_sigqueueinfo", (tid, 9, info))):
            libc.syscall(ctypes.c_long(NR[name]), *[a if isinstance(a, bytes) else ctypes.c_long(a) for a in args])
        fd = libc.syscall(ctypes.c_long(NR["pidfd_open"]), ctypes.c_long(tid), ctypes.c_long(0x80))
        if fd >= 0:
            libc.syscall(ctypes.c_long(NR["pidfd_send_signal"]), ctypes.c_long(fd), ctypes.c_long(9), ctypes.c_long(0), ctypes.c_long(0))
            os.close(fd)
        for owner in ((8, tid), (15, struct.pack("ii", 0, tid))):
            r, w = os.pipe()
            try:
                fcntl.fcntl(r, owner[0], owner[1])
                fcntl.fcntl(r, 10, int(signal.SIGKILL))
                fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC)
                os.write(w, b"x")
            except OSError:
                pass
            os.close(r)
            os.close(w)
    r, w = os.pipe()
    try:  # a file that sends a signal when it can be read
        fcntl.fcntl(r, fcntl.F_SETOWN, DECOY)
        fcntl.fcntl(r, 10, int(signal.SIGKILL))
        fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC)
        os.write(w, b"x")
    except OSError as e:
        print("setown", e)


def spying():
    buf = ctypes.create_string_buffer(64)
    iov = struct.pack("QQ", ctypes.addressof(buf), 64)
    far = struct.pack("QQ", 0x400000, 64)
    for pid in (DECOY, int(os.environ["AGENT"]), os.getppid()):
        call("ptrace", 16, pid, 0, 0, fine={errno.EPERM})
        call("ptrace", 0x4206, pid, 0, 0, fine={errno.EPERM})
        call("process_vm_readv", pid, iov, 1, far, 1, 0, fine={errno.EPERM})
        call("process_vm_writev", pid, iov, 1, far, 1, 0, fine={errno.EPERM})
        call("kcmp", os.getpid(), pid, 1, 0, 0, fine={errno.EPERM})
        call("move_pages", pid, 0, 0, 0, 0, 0, fine={errno.EPERM})
        ctypes.set_errno(0)
        fd = libc.syscall(ctypes.c_long(NR["pidfd_open"]), pid, 0)
        call("pidfd_getfd", max(fd, 0), 0, 0, fine={errno.EPERM})
        call("process_madvise", max(fd, 0), iov, 1, 4, 0, fine={errno.EPERM})
    call("ptrace", 0, 0, 0, 0, fine={errno.EPERM})


def terminals():
    import fcntl, pty
    try:
        a, b = pty.openpty()
    except OSError:
        b = 0
    for request, what in ((0x5412, b"x"), (0x541C, b"\x03"), (0x541D, b"")):
        for high in (0, 1 << 32):  # the kernel looks at the low half alone
            call("ioctl", b, request | high, what, fine={errno.EPERM})


def sockets():
    for family, kind, proto in (
        (17, 3, 0x0300), (17, 2, 0x0300), (2, 10, 0), (40, 1, 0), (38, 5, 0), (15, 3, 2), (31, 3, 1), (29, 3, 1), (16, 3, 9), (16, 3, 15),
        (16, 3, 4), (16, 3, 12), (16, 3, 16), (44, 3, 0), (30, 1, 0), (21, 5, 0), (3, 2, 0), (5, 2, 0), (41, 2, 0), (45, 2, 0), (39, 1, 0),
    ):
        call("socket", family, kind, proto)
    for family, proto in ((2, 1), (2, 255), (10, 58)):
        call("socket", family, 3, proto)


def swapping():
    """The path of a call changed by a thread while the kernel asks about it."""
    good, bad = b"plain\0", os.environ["SECRET"].encode() + b"\0"
    buf = ctypes.create_string_buffer(4096)
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            ctypes.memmove(buf, bad, len(bad))
            ctypes.memmove(buf, good, len(good))

    t = threading.Thread(target=swap)
    t.start()
    for _ in range(800):
        libc.syscall(ctypes.c_long(NR["fchmodat"]), ctypes.c_long(-100), buf, ctypes.c_long(0o777))
    stop.set()
    t.join()


{"kernel": kernel, "signals": signals, "spying": spying, "terminals": terminals, "sockets": sockets, "swapping": swapping}[sys.argv[1]]()
