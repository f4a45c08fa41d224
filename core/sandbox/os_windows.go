package sandbox

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// checkSpelling refuses what means something special to Windows: network and
// device paths (opening one can send the user's password hash away), streams,
// drive-relative paths, and names that lose their ending.
func checkSpelling(path string) error {
	p := filepath.FromSlash(path)
	if strings.HasPrefix(p, `\\`) || strings.HasPrefix(p, `\??\`) {
		return BadPath.Becausef("%s is a network or device path", path).Trying("use a path on a local drive, such as C:\\Users\\me\\notes.txt")
	}
	rest := p[len(filepath.VolumeName(p)):]
	if filepath.VolumeName(p) != "" && !strings.HasPrefix(rest, `\`) {
		return BadPath.Becausef("%s is relative to a drive", path).Trying("write the path in full")
	}
	if filepath.VolumeName(p) == "" && strings.HasPrefix(p, `\`) {
		return BadPath.Becausef("%s names no drive", path).Trying("write the path in full")
	}
	for part := range strings.SplitSeq(rest, `\`) {
		if part == "." || part == ".." || part == "" {
			continue
		}
		if strings.ContainsAny(part, `:*?"<>|`) || strings.TrimRight(part, ". ") != part || !filepath.IsLocal(part) {
			return BadPath.Becausef("%q is not a plain file name", part)
		}
	}
	return nil
}

// isLink reports whether a file leads elsewhere: a link or a junction.
func isLink(info fs.FileInfo) bool { return info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 }

// long gives the one true spelling of an existing path: SSH~1 becomes .ssh.
func long(path string) string {
	if !strings.Contains(path, "~") {
		return path
	}
	from, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return path
	}
	buf := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetLongPathName(from, &buf[0], uint32(len(buf)))
	if err != nil || n == 0 || int(n) > len(buf) {
		return path
	}
	return windows.UTF16ToString(buf[:n])
}

// alone would let cmd and all that it starts be ended as one; here the program
// alone is.
func alone(*exec.Cmd) {}
