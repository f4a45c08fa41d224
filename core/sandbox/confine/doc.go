// Package confine has the kernel hold child processes to what the path policy
// lets the agent's own tools touch. It is the third of three layers, and holds
// when the other two have let something through: a command that a person agreed
// to still cannot read a key.
//
// A [Spec] says what a command may touch, a [Plan] is that made concrete: which
// paths, with which rights, for which reason. A backend holds a command to it:
//
//   - bubblewrap, on Linux: namespaces of its own for files, processes, IPC and,
//     when the network is off, for that; what is not in the plan is not there.
//   - Landlock, on Linux without bubblewrap: the same files, but the rest of the
//     tree stays visible by name.
//   - sandbox-exec, on macOS.
//   - a job object, on Windows: it ends what a command started, but keeps it
//     from nothing.
//
// On Linux all have a system call filter, no new privileges, limits, and a
// Landlock domain for signals and abstract sockets. There a command is started
// from a thread that restricts itself first and is never used again: the child
// inherits what the thread may not do. So no helper program is needed, and
// nothing of this is in the path of a command that is not confined.
//
// Of this module it imports core/capability, core/process and core/sandbox alone.
package confine
