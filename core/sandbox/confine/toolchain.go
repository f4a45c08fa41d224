package confine

import (
	"path/filepath"
	"slices"
	"strings"
)

// What lies on PATH inside the home, or in /opt, is a tool chain, and may be
// read and run, by these rules:
//
//  1. The folder on PATH itself, unless it is hidden, is the home, or lies
//     outside of home and /opt.
//  2. When it is called bin, sbin or shims: what usually stands beside it
//     (lib, libexec, share, include, pkg), but not beside ~/bin.
//  3. For the version managers below, the folder where they keep the programs
//     that the ones on PATH start.
//
// Credentials in there, such as ~/.cargo/credentials.toml, stay hidden.

// managers are folders below the home, each with those it needs.
var managers = map[string][]string{
	".cargo/bin":           {".rustup"},
	".pyenv":               {".pyenv"},
	".rbenv":               {".rbenv"},
	".nodenv":              {".nodenv"},
	".nvm":                 {".nvm"},
	".fnm":                 {".fnm"},
	".local/share/fnm":     {".local/share/fnm"},
	".asdf":                {".asdf"},
	".local/share/mise":    {".local/share/mise/installs", ".local/share/mise/shims"},
	".sdkman":              {".sdkman/candidates"},
	".volta":               {".volta/bin", ".volta/tools"},
	".bun/bin":             {".bun/install/global"},
	".local/share/pnpm":    {".local/share/pnpm"},
	".local/bin":           {".local/share/pipx/venvs", ".local/share/uv/tools", ".local/share/uv/python", ".local/pipx/venvs"},
	"go/bin":               {"go/pkg/mod"},
	".ghcup":               {".ghcup"},
	".juliaup":             {".julia/juliaup"},
	"miniconda3":           {"miniconda3"},
	"anaconda3":            {"anaconda3"},
	"miniforge3":           {"miniforge3"},
	".local/share/swiftly": {".local/share/swiftly"},
}

// beside is what usually stands beside a folder of programs.
var beside = []string{"lib", "lib64", "libexec", "share", "include", "pkg", "etc"}

// settings are files of the home that programs need and that hold no secrets.
var settings = []string{".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"}

// toolchains grants what the programs on PATH need to run.
func (p *planner) toolchains() {
	for _, dir := range filepath.SplitList(p.spec.Path) {
		if filepath.IsAbs(dir) {
			p.toolchain(filepath.Clean(dir))
		}
	}
	if p.spec.Home == "" {
		return
	}
	p.grant(filepath.Join(p.spec.Home, "go/pkg/mod"), false, "the modules that Go has fetched")
	for _, name := range settings {
		p.grant(filepath.Join(p.spec.Home, name), false, "the settings of git")
	}
}

const onPath = "a tool chain on PATH"

// toolchain applies the three rules to one folder.
func (p *planner) toolchain(dir string) {
	if to, err := filepath.EvalSymlinks(dir); err == nil && to != dir {
		p.toolchain(to)
	}
	home := p.spec.Home
	inHome := home != "" && dir != home && within(home, dir)
	if !inHome && !within("/opt", dir) || dir == "/opt" {
		return
	}
	p.grant(dir, false, onPath)
	up := filepath.Dir(dir)
	near := beside
	switch {
	case dir == filepath.Join(home, ".local/bin"):
		near = []string{"lib"}
	case !slices.Contains([]string{"bin", "sbin", "shims"}, filepath.Base(dir)), up == home, up == filepath.Join(home, "go"), up == "/opt":
		near = nil
	}
	for _, name := range near {
		p.grant(filepath.Join(up, name), false, onPath)
	}
	if inHome {
		p.manager(strings.TrimPrefix(dir, home+"/"))
	}
}

// manager grants what the programs of a version manager start.
func (p *planner) manager(rel string) {
	for name, needs := range managers {
		if rel != name && !strings.HasPrefix(rel, name+"/") {
			continue
		}
		for _, need := range needs {
			p.grant(filepath.Join(p.spec.Home, need), false, onPath)
		}
	}
}
