// Package sandbox says which paths the agent's own tools may touch, and what
// environment its child processes get.
//
// One question is asked for every path, read or write ([Policy.Judge]): where
// does it really lead, and may this turn go there? The path is followed link by
// link with lstat, never by the system's own resolution, and the place it ends
// at is judged in a fixed order:
//
//	protected? → blocked? → under a root of this turn? → else outside
//
// [Policy.Place] then opens the folder the answer was about, link-free, and
// hands out a root handle. A link swapped in between check and use is refused
// by the handle; there is no gap. A file that is only read needs no handle of
// its folder: [Policy.Regular] opens it by the judged path, and the kernel follows
// no link in that.
//
// What a person must agree to is decided by package permission, and what the
// kernel lets a child do by package confine. Each of the three holds alone.
//
// Of this module it imports only package capability.
package sandbox
