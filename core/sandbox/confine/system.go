package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// system grants what every program needs of the operating system, for reading.
func (p *planner) system(closed func() []string) {
	for _, dir := range systemDirs() {
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
		case info.Mode()&fs.ModeSymlink != 0:
			p.link(dir)
		default:
			p.put(Grant{dir, false, "part of the operating system"})
		}
	}
	p.public("/etc", closed())
	for _, file := range []string{"/etc/resolv.conf", "/etc/localtime", "/etc/hosts"} {
		p.behind(file)
	}
}

// behind grants what a link of /etc leads to outside of it, such as the
// resolver's file in /run.
func (p *planner) behind(link string) {
	to, err := filepath.EvalSymlinks(link)
	if err != nil || within("/etc", to) || within("/usr", to) {
		return
	}
	if info, err := os.Stat(to); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 {
		p.put(Grant{to, false, "what " + link + " leads to"})
	}
}

// public grants of a folder what everyone may read, and leaves out the rest:
// root and members of groups can read more than a command needs, such as
// /etc/shadow. Where nothing can be masked all is granted one by one.
func (p *planner) public(dir string, closed []string) {
	if p.masks {
		p.put(Grant{dir, false, whySettings})
		p.plan.Masks = append(p.plan.Masks, closed...)
		return
	}
	p.open(dir, closed)
}

const whySettings = "part of the operating system's settings"

// closedIn lists what below a folder is not for everyone.
func closedIn(dir string) (out []string) {
	const all = 0o004
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		switch {
		case err != nil || info.Mode()&fs.ModeSymlink != 0:
		case info.Mode().Perm()&all == 0, isSecretName(e.Name()), !info.IsDir() && !info.Mode().IsRegular():
			out = append(out, path)
		case info.IsDir():
			out = append(out, closedIn(path)...)
		}
	}
	return out
}

// open grants a folder with no more of it than what is not closed.
func (p *planner) open(dir string, closed []string) {
	if !slices.ContainsFunc(closed, func(c string) bool { return within(dir, c) }) {
		p.put(Grant{dir, false, whySettings})
		return
	}
	p.plan.Passages = append(p.plan.Passages, dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case slices.Contains(closed, path):
		case e.Type()&fs.ModeSymlink != 0:
			p.link(path)
		case e.IsDir():
			p.open(path, closed)
		default:
			p.put(Grant{path, false, whySettings})
		}
	}
}

// isSecretName knows files of /etc that hold secrets and that someone may have
// opened to everyone, and copies of them.
func isSecretName(name string) bool {
	for _, s := range []string{"shadow", "gshadow", "sudoers", "krb5.keytab"} {
		if strings.HasPrefix(strings.TrimPrefix(name, "."), s) {
			return true
		}
	}
	return false
}
