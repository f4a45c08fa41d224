// Package search walks folders and finds text in their files, fast and without
// harm: in parallel, with git's ignore rules, in bounded memory.
//
//	Walker ──▶ folders ──▶ Rules (.gitignore at every level) ──▶ files
//	                                                              │
//	Pattern: literal? ──▶ automaton? ──▶ regexp on the line  ◀────┘
//	                                        │
//	                                   Find: the first hits in path order
//
// A walk starts at an open root handle and goes down by handles alone; it
// follows no link, so it can neither loop nor leave. Only regular files are
// opened: a FIFO, a socket or a device is passed by. What cannot be read is
// reported ([Troubles]) and does not end the walk.
//
// Patterns are RE2. A line is matched by package regexp in the end; before
// that a literal that every match must hold, or an automaton that lets through
// a little too much, passes over lines that cannot match. Lines have no
// greatest length short of some megabytes.
package search
