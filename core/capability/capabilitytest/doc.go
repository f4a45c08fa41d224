// Package capabilitytest checks tools against the promises that they declare.
//
// [Contract] holds what every tool must have: words, two examples that fit the
// schema, failures with advice, a script. [Scripts] runs the scripts: archives
// of files, calls and what they answer, through a real [capability.Runner].
//
// # Scripts
//
// testdata/TOOL.txtar starts with prose and goes on with sections:
//
//	-- notes.txt --         a file of the tree that the calls run in
//	-- hex data.bin --      a file, its bytes in hex
//	-- link latest --       a symbolic link, its text the target
//	-- dir empty --         a folder
//	-- call file_read --    arguments of a call, as JSON
//	-- deny file_write --   the same, but the person who is asked says no
//	-- want --              what the call before it answers
//	-- now notes.txt --     what the file holds at this point; (gone) when it is not there
//	-- hexnow data.bin --   the same in hex
//	-- write notes.txt --   a change by someone else, between calls
//	-- remove notes.txt --  the same: a removal
//
// Sections of the tree are made before the first call, wherever they stand.
// In answers the path of the tree reads $DIR and that of the folder above it
// $BASE, and the marks around data from outside read $FRAME; in arguments $DIR is replaced by the path. With -update the want, now and hexnow sections are rewritten.
package capabilitytest
