package file

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// A replacement is new contents for a file, which appear at once or not at all.
type replacement struct {
	root *os.Root
	name string // in root itself
	data []byte
	old  fs.FileInfo // the file it takes the place of; nil when there is none
	mode fs.FileMode // permission bits to set; 0 means those of old, or the usual ones

	// ready is called when everything is on the disk and only the name is
	// missing. An error ends it.
	ready func() error
}

// tempPrefix starts the names of temporary files, so that what a kill leaves
// can be told and swept. The number of the process follows.
const tempPrefix = ".hobkin-tmp-"

func tempName() string {
	return tempPrefix + strconv.Itoa(os.Getpid()) + "-" + strings.ToLower(rand.Text())
}

// write puts the contents in place. No temporary file stays, whatever happens
// to the call; only a kill in the moment between two system calls can leave
// one, and the next write to the folder sweeps it.
func (r *replacement) write(ctx context.Context) error {
	sweep(r.root)
	dir, err := r.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := r.place(ctx, dir); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

// named writes through a temporary file that has a name.
func (r *replacement) named(ctx context.Context) (err error) {
	temp := tempName()
	perm := fs.FileMode(0o666) // the umask narrows it
	if r.old != nil {
		perm = 0o600 // until it has the old file's bits
	}
	f, err := r.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.root.Remove(temp))
		}
	}()
	if err = r.fill(ctx, f); err != nil {
		return errors.Join(err, f.Close())
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = r.ready(); err != nil {
		return err
	}
	return r.rename(ctx, temp)
}

// fill writes data and all that belongs to it, down to the disk.
func (r *replacement) fill(ctx context.Context, f *os.File) error {
	const chunk = 1 << 20
	for rest := r.data; len(rest) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := f.Write(rest[:min(chunk, len(rest))])
		if err != nil {
			return err
		}
		rest = rest[n:]
	}
	if err := r.dress(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("file: flushing: %w", err)
	}
	return ctx.Err()
}

// dress gives f the owner and the bits of the file it replaces. Owners can be
// given only by root; another user's file becomes the writer's own.
func (r *replacement) dress(f *os.File) error {
	mode := r.mode
	if r.old != nil {
		if mode == 0 {
			mode = r.old.Mode()
		}
		if uid, gid, ok := owner(r.old); ok {
			if f.Chown(uid, gid) != nil {
				_ = f.Chown(-1, gid) // the group at least, where it can be had
			}
		}
	}
	if mode == 0 {
		return nil
	}
	return f.Chmod(mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
}

// rename gives the temporary file its name, trying again where another program
// is in the way for a moment.
func (r *replacement) rename(ctx context.Context, temp string) error {
	const tries = 10
	for i := 1; ; i++ {
		err := r.root.Rename(temp, r.name)
		if err == nil || !transient(err) || i == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(i) * 20 * time.Millisecond):
		}
	}
}

// syncDir makes the new name last. Not every file system can, and the contents
// are safe either way.
func syncDir(dir *os.File) { _ = dir.Sync() }

// Sweep removes from a folder what writes that were killed have left there.
// Every write sweeps its own folder; a program that starts after a kill may
// sweep those of the last changes. It returns how many files it removed.
func Sweep(dir string) (int, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, fmt.Errorf("file: sweeping: %w", err)
	}
	defer root.Close()
	return sweep(root), nil
}

func sweep(root *os.Root) (removed int) {
	dir, err := root.Open(".")
	if err != nil {
		return 0
	}
	defer dir.Close()
	const most = 2000
	names, _ := dir.Readdirnames(most) // what cannot be listed is swept another time
	for _, name := range names {
		if !left(root, name) {
			continue
		}
		if root.Remove(name) == nil { // another process may have been faster
			removed++
		}
	}
	return removed
}

// left reports whether name is a temporary file whose writer is gone.
func left(root *os.Root, name string) bool {
	rest, ok := strings.CutPrefix(name, tempPrefix)
	pid, _, dash := strings.Cut(rest, "-")
	n, err := strconv.Atoi(pid)
	if !ok || !dash || err != nil {
		return false
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	const age = 10 * time.Minute // longer than any write, should the number be another process's now
	return !alive(n) || time.Since(info.ModTime()) > age
}
