package process

// ReapAdopted is reapAdopted, for a test that cannot wait for as long.
var ReapAdopted = reapAdopted

// Parent tells who a process belongs to, and whether there is one.
func Parent(pid int) (parent int, ok bool) {
	p, ok := look(pid)
	return p.parent, ok
}

// Lives reports whether a group has a member that is not dead.
var Lives = lives
