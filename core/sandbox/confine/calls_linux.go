package confine

import (
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// forbidden are the system calls that no developer's program needs and that
// have let programs out of sandboxes, or that reach other processes, the kernel
// or the whole machine.
var forbidden = []string{
	// other processes
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd", "move_pages", "migrate_pages",
	// mounts and roots
	"mount", "umount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick",
	"mount_setattr", "statmount", "listmount",
	// namespaces; clone is looked into, clone3 cannot be
	"unshare", "setns",
	// files past their names
	"open_by_handle_at", "name_to_handle_at", "fanotify_init", "file_setattr",
	// wide interfaces of the kernel
	"bpf", "userfaultfd", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_secret", "modify_ldt", "lookup_dcookie",
	"add_key", "request_key", "keyctl",
	// the machine
	"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module", "query_module", "get_kernel_syms",
	"swapon", "swapoff", "reboot", "acct", "quotactl", "quotactl_fd", "nfsservctl", "syslog", "vhangup", "iopl", "ioperm", "uselib", "_sysctl",
	"settimeofday", "clock_settime", "clock_settime64", "stime", "adjtimex", "clock_adjtime", "clock_adjtime64", "sethostname", "setdomainname",
	"pciconfig_read", "pciconfig_write", "pciconfig_iobase",
}

// eq is a test on a whole argument.
func eq(arg int, val uint32) test { return test{arg: arg, cond: bpf.JumpEqual, val: val} }

// bits is a test for any of the bits.
func bits(arg int, mask uint32) test {
	return test{arg: arg, mask: mask, cond: bpf.JumpNotEqual, val: 0}
}

// namespaces are the flags of clone that make one.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME

// setIDs are the bits of a mode by which a program runs as its file's owner.
const setIDs = unix.S_ISUID | unix.S_ISGID

// always are the rules of both backends.
func always() []rule {
	no, noSuchCall := retErrno(unix.EPERM), retErrno(unix.ENOSYS)
	var out []rule
	for _, name := range forbidden {
		out = append(out, rule{name: name, ret: no})
	}
	out = append(out,
		rule{name: "clone3", ret: noSuchCall}, // C libraries and Go fall back to clone
		rule{"clone", no, []test{bits(0, namespaces)}},
		// Characters put into a terminal are read by the shell that owns it.
		rule{"ioctl", no, []test{eq(1, unix.TIOCSTI)}},
		rule{"ioctl", no, []test{eq(1, unix.TIOCLINUX)}},
		rule{"ioctl", no, []test{eq(1, unix.TIOCCONS)}},
		// Devices, even where we are root.
		rule{"mknod", no, []test{{1, unix.S_IFMT, bpf.JumpEqual, unix.S_IFCHR}}},
		rule{"mknod", no, []test{{1, unix.S_IFMT, bpf.JumpEqual, unix.S_IFBLK}}},
		rule{"mknodat", no, []test{{2, unix.S_IFMT, bpf.JumpEqual, unix.S_IFCHR}}},
		rule{"mknodat", no, []test{{2, unix.S_IFMT, bpf.JumpEqual, unix.S_IFBLK}}},
	)
	// Programs that run as their owner for everyone else on the machine. The
	// mode of openat2 cannot be looked into; programs fall back to openat.
	out = append(out, rule{name: "openat2", ret: noSuchCall})
	for name, arg := range map[string]int{"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1, "mknod": 1, "mknodat": 2} {
		out = append(out, rule{name, no, []test{bits(arg, setIDs)}})
	}
	for name, arg := range map[string]int{"open": 1, "openat": 2} { // the mode counts only when a file is made
		out = append(out, rule{name, no, []test{bits(arg, unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY), bits(arg+1, setIDs)}})
	}
	return append(out, families()...)
}

// families lets through sockets of Unix, IPv4 and IPv6, and of netlink what
// C libraries ask routes and addresses with. All others, such as raw packets,
// Bluetooth or the channel to a virtual machine's host, are refused.
func families() []rule {
	no := retErrno(unix.EAFNOSUPPORT)
	out := []rule{
		{"socket", no, []test{{0, 0, bpf.JumpGreaterThan, unix.AF_NETLINK}}},
		{"socket", no, []test{eq(0, unix.AF_NETLINK), {2, 0, bpf.JumpNotEqual, unix.NETLINK_ROUTE}}},
		{"socket", no, []test{{1, socketType, bpf.JumpEqual, unix.SOCK_PACKET}}},
	}
	for f := range uint32(unix.AF_NETLINK) {
		if f != unix.AF_UNIX && f != unix.AF_INET && f != unix.AF_INET6 {
			out = append(out, rule{"socket", no, []test{eq(0, f)}})
		}
	}
	return out
}

// socketType masks the flags off a socket's type.
const socketType = 0xf

// noSignalsTo refuses signals to a thread or process of ours. The thread that a
// command is started from is in the domain of the command, which Landlock takes
// for leave to end it, and with it all of us.
func noSignalsTo(thread uint32) []rule {
	no := retErrno(unix.EPERM)
	var out []rule
	for name, arg := range map[string]int{"kill": 0, "tkill": 0, "tgkill": 1, "rt_sigqueueinfo": 0, "rt_tgsigqueueinfo": 1, "pidfd_open": 0} {
		out = append(out, rule{name, no, []test{eq(arg, thread)}})
	}
	// Files that send a signal to someone when there is something to read.
	return append(
		out,
		rule{"fcntl", no, []test{eq(1, unix.F_SETOWN), eq(2, thread)}},
		rule{"fcntl", no, []test{eq(1, unix.F_SETOWN_EX)}},
		rule{"ioctl", no, []test{eq(1, 0x8901 /* FIOSETOWN */)}},
		rule{"ioctl", no, []test{eq(1, 0x8902 /* SIOCSPGRP */)}},
	)
}

// landlocked are the further rules where Landlock is alone, which leaves open
// what it does not look at. unixSockets lets those of Unix through. It is to be
// called on the thread that a command is started from.
func landlocked(network, unixSockets bool) []rule {
	no := retErrno(unix.EPERM)
	out := slices.Concat(noSignalsTo(uint32(unix.Gettid())), noSignalsTo(uint32(unix.Getpid()))) //nolint:gosec // positive numbers
	if !network {
		for _, f := range []uint32{unix.AF_INET, unix.AF_INET6} {
			out = append(out, rule{"socket", no, []test{eq(0, f)}})
		}
	}
	if !unixSockets {
		// One that has no name can still be sent from to one that has.
		out = append(out, rule{"socket", no, []test{eq(0, unix.AF_UNIX)}}, rule{"socketpair", no, []test{{1, socketType, bpf.JumpEqual, unix.SOCK_DGRAM}}})
	}
	// What is shared by a number, with everyone of the same user.
	for _, name := range []string{
		"shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl", "mq_open", "mq_unlink",
	} {
		out = append(out, rule{name: name, ret: no})
	}
	// What changes a file without opening it is decided by us, see notify_linux.go.
	for _, name := range metadata {
		out = append(out, rule{name: name, ret: retNotify})
	}
	for _, name := range []string{
		"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
		"getxattr", "lgetxattr", "getxattrat", "listxattr", "llistxattr", "listxattrat",
	} {
		out = append(out, rule{name: name, ret: retErrno(unix.EOPNOTSUPP)})
	}
	for _, request := range []uint32{unix.FS_IOC_SETFLAGS, 0x401c5820 /* FS_IOC_FSSETXATTR */} {
		out = append(out, rule{"ioctl", no, []test{eq(1, request)}})
	}
	// Limits and priorities of other processes: 0 is the process itself.
	for name, arg := range map[string]int{"prlimit64": 0, "setpriority": 1, "ioprio_set": 1, "sched_setscheduler": 0, "sched_setparam": 0, "sched_setattr": 0, "sched_setaffinity": 0} {
		out = append(out, rule{name, no, []test{{arg, 0, bpf.JumpNotEqual, 0}}})
	}
	return append(out, rule{"setpriority", no, []test{{0, 0, bpf.JumpNotEqual, unix.PRIO_PROCESS}}})
}
