package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// setEnv replaces or adds variables of an environment.
func setEnv(env []string, name, value string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
	return append(env, name+"="+value)
}

func hasEnv(env []string, name string) bool {
	return slices.ContainsFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
}

// caches are the variables that say where programs keep what they fetch or
// build, with the folder of our own that they get instead of one in the home.
var caches = [][2]string{
	{"XDG_CACHE_HOME", ""},
	{"GOMODCACHE", "go-mod"},
	{"CARGO_HOME", "cargo"},
	{"npm_config_cache", "npm"},
	{"GRADLE_USER_HOME", "gradle"},
	{"NUGET_PACKAGES", "nuget"},
	{"DOTNET_CLI_HOME", "dotnet"},
	{"BUN_INSTALL_CACHE_DIR", "bun"},
}

// environment is what a confined command finds in its: env, with temporary
// files and caches where it may write. What the owner set himself stays.
func (s *Spec) environment(env []string, tmp string) []string {
	env = setEnv(env, "TMPDIR", tmp)
	if s.Cache == "" {
		return env
	}
	for _, c := range caches {
		if !hasEnv(env, c[0]) {
			env = append(env, c[0]+"="+filepath.Join(s.Cache, c[1]))
		}
	}
	fetched := filepath.Join(s.Home, "go/pkg/mod/cache/download")
	if _, err := os.Stat(fetched); err == nil && !hasEnv(env, "GOPROXY") { // what the owner has fetched need not be fetched again
		env = append(env, "GOPROXY=file://"+fetched+",https://proxy.golang.org,direct")
	}
	if !hasEnv(env, "GOFLAGS") {
		env = append(env, "GOFLAGS=-modcacherw") // so that the folder can be deleted
	}
	return env
}
