//go:build unix

package sandbox

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/capability"
)

func TestRoots(t *testing.T) {
	h := build(t, nil)
	project := h.home + "/other"
	skills := h.home + "/app/skills"
	operator := capability.Turn{Workspace: project, Trust: capability.Operator, Attended: true, Channel: "cli"}
	change := func(f func(*capability.Turn)) capability.Turn {
		turn := operator
		f(&turn)
		return turn
	}
	base := []string{h.ws, h.granted}
	cases := map[string]struct {
		mode Mode
		turn capability.Turn
		want []string
	}{
		"standard":                    {Standard, operator, append(base[:2:2], skills, project)},
		"strict":                      {Strict, operator, base},
		"open":                        {Open, operator, []string{h.granted, h.home}},
		"guest":                       {Standard, change(func(t *capability.Turn) { t.Trust = capability.Guest }), base},
		"no trust":                    {Open, change(func(t *capability.Turn) { t.Trust = "" }), base},
		"unattended":                  {Open, change(func(t *capability.Turn) { t.Attended, t.Channel = false, "desktop" }), base},
		"a script of the owner's":     {Open, change(func(t *capability.Turn) { t.Attended = false }), append(base[:2:2], project)},
		"a script in strict":          {Strict, change(func(t *capability.Turn) { t.Attended = false }), base},
		"chat channel":                {Standard, change(func(t *capability.Turn) { t.Channel = "telegram" }), append(base[:2:2], skills)},
		"job":                         {Standard, change(func(t *capability.Turn) { t.Channel = "job" }), append(base[:2:2], skills)},
		"in the home itself":          {Standard, change(func(t *capability.Turn) { t.Workspace = h.home }), append(base[:2:2], skills)},
		"above the home":              {Standard, change(func(t *capability.Turn) { t.Workspace = filepath.Dir(h.home) }), append(base[:2:2], skills)},
		"outside the home":            {Standard, change(func(t *capability.Turn) { t.Workspace, t.Channel = h.outside, "desktop" }), append(base[:2:2], skills)},
		"a terminal outside the home": {Standard, change(func(t *capability.Turn) { t.Workspace = h.outside }), append(base[:2:2], skills, h.outside)},
		"a terminal in the system":    {Standard, change(func(t *capability.Turn) { t.Workspace = "/etc" }), append(base[:2:2], skills)},
		"in a protected folder":       {Standard, change(func(t *capability.Turn) { t.Workspace = h.home + "/.ssh" }), append(base[:2:2], skills)},
		"home by another spelling":    {Standard, change(func(t *capability.Turn) { t.Workspace = project + "/.." }), append(base[:2:2], skills)},
		"relative":                    {Standard, change(func(t *capability.Turn) { t.Workspace = "other" }), append(base[:2:2], skills)},
		"inside the workspace":        {Standard, change(func(t *capability.Turn) { t.Workspace = h.ws + "/sub" }), append(base[:2:2], skills)},
		"a project that is no more":   {Standard, change(func(t *capability.Turn) { t.Workspace = h.home + "/gone" }), append(base[:2:2], skills, h.home+"/gone")},
		"a workspace below a secret":  {Standard, change(func(t *capability.Turn) { t.Workspace = h.home + "/.aws/x" }), append(base[:2:2], skills)},
	}
	for name, c := range cases {
		cfg := h.rules.Load().cfg
		cfg.Mode = c.mode
		if err := h.Update(cfg); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, h.Roots(c.turn)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		for _, abs := range []string{h.ws + "/sub/b.txt", h.home, project, project + "/c.txt", project + "x", h.outside + "/o.txt", h.home + "/.ssh/x", h.home + "/gone/x", "/etc/x"} {
			inside := under(c.want, abs) != ""
			if got := h.Writable(c.turn, abs); got != inside {
				t.Errorf("%s: %s may be written to: %v, want %v", name, abs, got, inside)
			}
		}
	}
}

func TestCheckGrant(t *testing.T) {
	h := build(t, nil)
	link(t, "/", h.ws+"/top")
	link(t, h.home, h.ws+"/myhome")
	for path, want := range map[string]error{
		h.outside: nil, "~/other": nil, "~/other/c.txt": nil,
		"/": TooWide, "//": TooWide, "/.": TooWide,
		"~": TooWide, "~/": TooWide, h.home: TooWide, filepath.Dir(h.home): TooWide, h.home + "/other/..": TooWide,
		h.ws + "/top": TooWide, h.ws + "/myhome": TooWide,
		"/etc": ProtectedPath, "/usr/share": ProtectedPath, "~/.ssh": ProtectedPath, "~/.SSH": ProtectedPath,
		"~/app": ProtectedPath, "~/.config/google-chrome": ProtectedPath, "~/.aws/x/y": ProtectedPath,
		h.granted + "/no": BlockedRoot, "~/none": NotFound, "": BadPath, "~bob": BadPath, "a\x00": BadPath,
	} {
		abs, err := h.CheckGrant(path)
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("CheckGrant(%q) = %q, %v, want %v", path, abs, err, want)
		}
	}
	for _, top := range tops() {
		if err := h.rules.Load().checkRoot(top); err == nil {
			t.Errorf("%s may be granted", top)
		}
	}
	if got := h.Roots(h.turn); len(got) != 3 {
		t.Errorf("a dry run granted something: %v", got)
	}
}

func TestNewRefusesBadRoots(t *testing.T) {
	h := build(t, nil)
	good := h.rules.Load().cfg
	for name, change := range map[string]func(*Config){
		"a grant of everything":  func(c *Config) { c.AllowedRoots = []string{"/"} },
		"a grant of the home":    func(c *Config) { c.AllowedRoots = []string{"~"} },
		"a grant of keys":        func(c *Config) { c.AllowedRoots = []string{"~/.ssh"} },
		"a workspace in /etc":    func(c *Config) { c.Workspace = "/etc/work" },
		"the home as workspace":  func(c *Config) { c.Workspace = "~" },
		"skills in keys":         func(c *Config) { c.Skills = "~/.gnupg/skills" },
		"own folder as root":     func(c *Config) { c.AllowedRoots = []string{"~/app"} },
		"unknown mode":           func(c *Config) { c.Mode = "yolo" },
		"a path of another user": func(c *Config) { c.BlockedRoots = []string{"~bob/x"} },
	} {
		cfg := good
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: New took it", name)
		}
		if err := h.Update(cfg); err == nil {
			t.Errorf("%s: Update took it", name)
		}
		if _, err := h.Judge(h.turn, "a.txt", Read); err != nil {
			t.Errorf("%s: after a refused Update: %v", name, err)
		}
	}
}

// A grant of a drive that is not plugged in must not keep Hobkin from starting.
func TestMissingGrant(t *testing.T) {
	h := build(t, func(c *Config) { c.AllowedRoots = []string{"~/usb/stick"} })
	if _, err := h.Judge(h.turn, "~/usb/stick/a.txt", Read); err != nil {
		t.Errorf("got %v", err)
	}
	link(t, h.outside, h.home+"/usb") // and what appears there later leads elsewhere
	if _, err := h.Judge(h.turn, "~/usb/stick/a.txt", Read); !errors.Is(err, OutsideRoot) {
		t.Errorf("got %v, want outside_root", err)
	}
}

// What a protected name links to is protected under its own name too.
func TestLinkedSecrets(t *testing.T) {
	h := build(t, nil)
	write(t, h.ws+"/dotfiles/aws/credentials", "outside")
	link(t, h.ws+"/dotfiles/aws", h.home+"/.aws")
	if err := h.Update(h.rules.Load().cfg); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"~/.aws/credentials", "dotfiles/aws/credentials", "dotfiles/aws"} {
		if _, err := h.Judge(h.turn, path, Read); !errors.Is(err, ProtectedPath) {
			t.Errorf("%s: got %v, want protected_path", path, err)
		}
	}
}

func TestRefusalsNameTheFix(t *testing.T) {
	h := build(t, nil)
	dir := h.home + "/my other place"
	write(t, dir+"/c.txt", "")
	cases := map[string]struct {
		path  string
		guest bool
		want  string
	}{
		"a file":             {dir + "/c.txt", false, "request_directory_access"},
		"by a command":       {dir + "/c.txt", false, "hobkin grant '" + dir + "'"},
		"a guest":            {dir + "/c.txt", true, "the owner can allow it with: hobkin grant '" + dir + "'"},
		"beside the home":    {h.home + "/file.txt", false, "no grant can open " + h.home},
		"protected":          {"~/.ssh", false, "no grant opens a protected path"},
		"blocked":            {h.granted + "/no/x", false, "blocked_roots"},
		"what may be used":   {dir, false, h.ws},
		"a missing folder":   {h.outside + "/a/b/c.txt", false, "hobkin grant " + h.outside},
		"single file at top": {h.home + "/x", false, "copy what is needed into the workspace"},
	}
	for name, c := range cases {
		turn := h.turn
		if c.guest {
			turn.Trust = capability.Guest
		}
		_, err := h.Judge(turn, c.path, Read)
		u, ok := capability.AsUserError(err)
		if !ok || !strings.Contains(u.Message+"\n"+u.Try, c.want) {
			t.Errorf("%s: %v: %v does not say %q", name, err, u, c.want)
		}
	}
}
