// Package vt turns what a program draws on a terminal into plain lines: cursor
// movements are followed, colours dropped, and a progress bar that was drawn a
// hundred times is the one line that it was last.
//
// It knows what programs of today send (ECMA-48 and the common part of xterm's
// control sequences). What it does not know it leaves out. Whatever comes, it
// holds no more than one screen, and takes time linear in what it is given.
package vt
