package chromium

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/hobkin/hobkin/core/lazy"
)

// A Profile is a folder that one browser at a time keeps its cookies, logins and
// cache in. The lock on it is ours until it is closed, and falls with this
// program however that ends.
type Profile struct {
	dir     string
	lock    *flock.Flock
	janitor *janitor // of a temporary profile; nil of one that stays
}

const (
	lockName   = "hobkin.lock"
	tempPrefix = "hobkin-browser-"

	// freeTime is how long the browser of an agent that was just killed is waited
	// for: it is on its way out.
	freeTime = 3 * time.Second
)

var profileName = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// OpenProfile makes the folder of a profile, if it is not there, and takes its
// lock. It fails with [ProfileLocked] when another program uses the profile, and
// with [BadProfile] when the name is none or the folder cannot be made.
func OpenProfile(ctx context.Context, root, name string) (*Profile, error) {
	if !profileName().MatchString(name) {
		return nil, BadProfile.Becausef("%q is no name for a browser profile", name)
	}
	dir := filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, BadProfile.Becausef("the folder of the browser profile %s cannot be made: %v", name, err)
	}
	p := &Profile{dir: dir, lock: flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))}
	ctx, cancel := context.WithTimeout(ctx, freeTime)
	defer cancel()
	if ok, err := p.lock.TryLockContext(ctx, 50*time.Millisecond); !ok {
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			return nil, BadProfile.Becausef("the browser profile %s cannot be locked: %v", name, err)
		}
		return nil, ProfileLocked.Becausef("another Hobkin uses the browser profile %s", name)
	}
	if err := p.freeOfBrowsers(ctx, name); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, p.clean()
}

// freeOfBrowsers waits until no Chromium is on the profile, and takes away the
// mark of one that was killed.
func (p *Profile) freeOfBrowsers(ctx context.Context, name string) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		owner := p.owner()
		if owner == "" {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ProfileLocked.Becausef("a browser (%s) uses the profile %s", owner, name)
		}
	}
}

// owner says which browser holds the profile; empty when none does. Chromium
// marks its profile with a link to "host-pid". The mark of another machine, or of
// this one under another name, is one that was left: whoever uses the profile
// through Hobkin holds the lock, which is ours now.
func (p *Profile) owner() string {
	mark, err := os.Readlink(filepath.Join(p.dir, "SingletonLock"))
	if err != nil {
		return ""
	}
	host, err := os.Hostname()
	pid, own := strings.CutPrefix(mark, host+"-")
	if err == nil && own && browserLives(pid, p.dir) {
		return "process " + pid
	}
	return ""
}

// clean takes away what a killed browser left: its marks and its temporary files.
func (p *Profile) clean() error {
	for _, name := range []string{"SingletonLock", "SingletonSocket", "SingletonCookie"} {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("chromium: profile: %w", err)
		}
	}
	if err := os.RemoveAll(p.scratch()); err != nil {
		return fmt.Errorf("chromium: profile: %w", err)
	}
	return os.MkdirAll(p.scratch(), 0o700)
}

// scratch is what the browser has as its folder for temporary files, so that a
// kill leaves none of them elsewhere.
func (p *Profile) scratch() string { return filepath.Join(p.dir, "tmp") }

// TempProfile makes a profile that is gone when it is closed, and also when this
// program is killed. An empty root is the system's folder for temporary files.
// What other agents left there by a crash of the machine is removed.
func TempProfile(root string) (*Profile, error) {
	if root == "" {
		root = os.TempDir()
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, BadProfile.Becausef("the folder for temporary browser profiles cannot be made: %v", err)
	}
	Sweep(root)
	dir := filepath.Join(root, tempPrefix+rand.Text())
	janitor, err := startJanitor(dir) // before the folder is there, so that a kill never leaves it
	if err != nil {
		return nil, fmt.Errorf("chromium: profile: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, errors.Join(BadProfile.Becausef("a temporary browser profile cannot be made: %v", err), janitor.close())
	}
	p := &Profile{dir: dir, lock: flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600)), janitor: janitor}
	if _, err := p.lock.TryLock(); err != nil {
		return nil, errors.Join(BadProfile.Becausef("a temporary browser profile cannot be locked: %v", err), p.Close())
	}
	return p, p.clean()
}

// newbornAge is how old a temporary profile without a lock must be to count as
// left over: another agent may be about to lock it.
const newbornAge = time.Minute

// Sweep removes temporary profiles in root that no living program holds.
func Sweep(root string) {
	found, _ := filepath.Glob(filepath.Join(root, tempPrefix+"*")) // the pattern is well formed
	for _, dir := range found {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !ours(info) {
			continue
		}
		path := filepath.Join(dir, lockName)
		if _, err := os.Stat(path); err != nil && time.Since(info.ModTime()) < newbornAge {
			continue
		}
		lock := flock.New(path, flock.SetPermissions(0o600))
		if ok, err := lock.TryLock(); ok && err == nil {
			_ = lock.Close()      // the file itself goes next
			_ = os.RemoveAll(dir) // what cannot be removed now is found again next time
		}
	}
}

// Dir is the profile's folder.
func (p *Profile) Dir() string { return p.dir }

// Temporary reports whether the profile goes when it is closed.
func (p *Profile) Temporary() bool { return p.janitor != nil }

// Close lets go of the profile once its browser has ended, and removes one that
// is temporary.
func (p *Profile) Close() error {
	var err error
	if p.janitor != nil {
		err = errors.Join(removeAll(p.dir), p.janitor.close())
	} else {
		err = os.RemoveAll(p.scratch())
	}
	return errors.Join(err, p.lock.Close())
}

// removeAll removes a folder in which the last threads of a browser may still be
// writing.
func removeAll(dir string) (err error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 50 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		<-tick.C
	}
	return fmt.Errorf("chromium: removing a temporary profile: %w", err)
}
