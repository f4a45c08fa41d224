package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// Paths is where everything lives on a user's machine. All are absolute.
type Paths struct {
	Config  string // folder of config.toml
	Data    string // what cannot be made again: database, outputs, attachments, skills
	State   string // logs, traces, crash reports
	Cache   string // what can be made again
	Runtime string // sockets and locks, of this login only
}

// HomeVariable is the environment variable that puts everything below one
// folder.
const HomeVariable = "HOBKIN_HOME"

// mostSocket is the longest path of a socket that every system takes.
const mostSocket = 100

// DefaultPaths finds the folders: those of the system (XDG on Linux), or all
// below HOBKIN_HOME where that is set. Nothing is created.
func DefaultPaths() (Paths, error) {
	home := os.Getenv(HomeVariable)
	switch {
	case home == "":
		return systemPaths()
	case !filepath.IsAbs(home):
		return Paths{}, fmt.Errorf("config: %s must be an absolute path, not %q: a relative one would depend on where Hobkin is started", HomeVariable, home)
	}
	home = filepath.Clean(home)
	return Paths{
		Config: filepath.Join(home, "config"), Data: filepath.Join(home, "data"), State: filepath.Join(home, "state"),
		Cache: filepath.Join(home, "cache"), Runtime: runtimeDir(filepath.Join(home, "run")),
	}, nil
}

func systemPaths() (Paths, error) {
	xdg.Reload() // the environment may have changed since the program started
	p := Paths{
		Config: filepath.Join(xdg.ConfigHome, "hobkin"), Data: filepath.Join(xdg.DataHome, "hobkin"), State: filepath.Join(xdg.StateHome, "hobkin"),
		Cache: filepath.Join(xdg.CacheHome, "hobkin"),
	}
	if p.Config == p.Data || p.Data == p.State || p.Config == p.State { // macOS and Windows have one folder for all
		base := p.Data
		p.Config, p.Data, p.State = filepath.Join(base, "config"), filepath.Join(base, "data"), filepath.Join(base, "state")
	}
	run := filepath.Join(p.State, "run")
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		run = filepath.Join(dir, "hobkin")
	}
	p.Runtime = runtimeDir(run)
	for _, dir := range []string{p.Config, p.Data, p.State, p.Cache, p.Runtime} {
		if !filepath.IsAbs(dir) {
			return Paths{}, errors.New("config: the home folder is not known; set HOME or " + HomeVariable)
		}
	}
	return p, nil
}

// runtimeDir is dir, or a short folder that belongs to it alone when a socket
// in dir would have too long a path.
func runtimeDir(dir string) string {
	if len(filepath.Join(dir, socketName)) <= mostSocket {
		return dir
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(os.TempDir(), fmt.Sprintf("hobkin-%d-%s", os.Getuid(), hex.EncodeToString(sum[:6])))
}

const socketName = "control.sock"

// ConfigFile is the path of the settings.
func (p Paths) ConfigFile() string { return filepath.Join(p.Config, "config.toml") }

// Socket is the path of the control socket.
func (p Paths) Socket() string { return filepath.Join(p.Runtime, socketName) }

// Database is the path of the database.
func (p Paths) Database() string { return filepath.Join(p.Data, "hobkin.db") }

// Secrets is the folder of the secrets that no keyring keeps, and of the names
// of those that one does.
func (p Paths) Secrets() string { return filepath.Join(p.Data, "secrets") }

// Logs is the folder of log files.
func (p Paths) Logs() string { return filepath.Join(p.State, "logs") }

// CanaryKey is the file of the key that the private marks of prompts come from.
func (p Paths) CanaryKey() string { return filepath.Join(p.State, "canary.key") }

// Own lists every folder of ours: tools never touch them.
func (p Paths) Own() []string {
	return []string{p.Config, p.Data, p.State, p.Cache, p.Runtime}
}

// Create makes the folders, closed to everyone else, and puts a README into
// those that a curious owner may find and wonder whether to delete. It refuses
// a runtime folder that belongs to somebody else.
func (p Paths) Create() error {
	if err := os.MkdirAll(p.Runtime, 0o700); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	if err := checkOwner(p.Runtime); err != nil {
		return err
	}
	for _, dir := range p.Own() {
		if err := makeDir(dir); err != nil {
			return err
		}
	}
	for dir, text := range map[string]string{p.Config: readmeConfig, p.Data: readmeData, p.State: readmeState, p.Cache: readmeCache} {
		path := filepath.Join(dir, "README.txt")
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fmt.Errorf("config: %w", err)
		}
	}
	return nil
}

// checkOwner makes sure that a folder is a real one, ours and closed: in a
// temporary folder anyone could have been there first.
func checkOwner(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("config: %w", err)
	case !info.IsDir():
		return &fs.PathError{Op: "config: using", Path: dir, Err: errors.New("it is not a folder")}
	case !owned(info):
		return &fs.PathError{Op: "config: using", Path: dir, Err: errors.New("it belongs to somebody else")}
	}
	return nil
}

const (
	readmeConfig = `This folder holds the settings of Hobkin.

config.toml      what you have set; every line is explained in it
config.toml.bak  the file as it was before Hobkin's own last change

Deleting it loses your settings: permission rules, granted folders, models.
Passwords and keys are not in here.
`
	readmeData = `This folder holds what Hobkin has done and knows. It is not a cache.

hobkin.db   conversations, memories, jobs, permissions given, changes that can be undone
outputs     long results of tools, as conversations refer to them
sessions    pictures, attachments and downloads of conversations
browser     profiles of Hobkin's own browser: its cookies and sign-ins
secrets     names of your stored secrets, and the secrets themselves where
            this computer has no keyring
skills      skills that you have installed or made
commands    slash commands that you have written, a Markdown file each

Deleting it loses all of that for good. To free space, delete conversations in
Hobkin, or run: hobkin sessions delete
`
	readmeState = `This folder holds the logs, traces and crash reports of Hobkin.

Deleting it loses nothing but the record of what went wrong.
`
	readmeCache = `This folder holds what Hobkin can make or fetch again.

Deleting it loses nothing; some things take longer once.
`
)
