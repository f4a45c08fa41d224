package git

import (
	"os"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/sandbox"
)

// fixed settings hold for every call. Each either names a program, or makes git
// start one, or makes git leave the repository.
var fixed = []string{
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.pager=cat",
	"core.editor=true",
	"core.askPass=",
	"core.gitProxy=",
	"core.sshCommand=ssh",
	"core.alternateRefsCommand=true", // an empty one would run the path behind it
	"core.protectHFS=true",
	"core.protectNTFS=true",
	"core.quotePath=false",
	"sequence.editor=true",
	"diff.external=",
	"diff.submodule=short",
	"diff.ignoreSubmodules=dirty",
	"status.submoduleSummary=false",
	"submodule.recurse=false",
	"fetch.recurseSubmodules=false",
	"credential.helper=",
	"protocol.ext.allow=never",
	"http.saveCookies=false",
	"interactive.diffFilter=",
	"blame.ignoreRevsFile=", // an error would quote the file
	"commit.template=",
	"log.showSignature=false",
	"commit.gpgSign=false",
	"tag.gpgSign=false",
	"tag.forceSignAnnotated=false",
	"merge.verifySignatures=false",
	"gpg.program=false",
	"gpg.openpgp.program=false",
	"gpg.x509.program=false",
	"gpg.ssh.program=false",
	"gpg.ssh.defaultKeyCommand=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"color.ui=false",
	"color.branch=false",
	"color.diff=false",
	"color.status=false",
	"column.ui=never",
	"advice.detachedHead=false",
}

// rules say what to set in place of settings whose names a repository chooses:
// section and key, then the harmless value. Those of one filter go together.
var rules = map[string][]string{
	"filter.clean":               {"clean=", "smudge=", "process=", "required=false"},
	"filter.smudge":              {"clean=", "smudge=", "process=", "required=false"},
	"filter.process":             {"clean=", "smudge=", "process=", "required=false"},
	"diff.command":               {"command=true"},
	"diff.textconv":              {"textconv=cat"},
	"merge.driver":               {"driver=false"}, // a conflict, which is left to a person
	"credential.helper":          {"helper="},
	"hook.command":               {"enabled=false", "command=true"},
	"trailer.command":            {"command=true"},
	"trailer.cmd":                {"cmd=true"},
	"gpg.program":                {"program=false"},
	"gpg.defaultkeycommand":      {"defaultKeyCommand=false"},
	"branch.mergeoptions":        {"mergeOptions="},
	"http.savecookies":           {"saveCookies=false"},
	"submodule.update":           {"update=none"},
	"submodule.ignore":           {"ignore=dirty"},
	"pull.twohead":               {"twohead=recursive"},
	"pull.octopus":               {"octopus=octopus"},
	"gc.recentobjectshook":       {"recentObjectsHook="},
	"uploadpack.packobjectshook": {"packObjectsHook="},
}

// maxTamed bounds how many settings are overridden: they travel as arguments.
const maxTamed = 1000

// tame gives the settings that make a repository's own harmless, each as git -c
// takes it, and the names of the filters that are off because of that.
func tame(settings []setting) (args, filters []string, err error) {
	args = slices.Clone(fixed)
	seen := map[string]bool{}
	for _, s := range settings {
		if s.section == "lfs" && runsForLFS(s) {
			s = setting{section: "filter", sub: "lfs", key: "process"} // of the owner, for all repositories
		}
		over := rules[s.section+"."+s.key]
		if over == nil {
			continue
		}
		prefix := strings.TrimSuffix(s.fullName(), s.key)
		if strings.ContainsAny(prefix, "=\n") {
			// git -c would cut the name at the sign.
			return nil, nil, unsafeConfig.Becausef("the setting %s%s has a name that cannot be overridden", prefix, s.key)
		}
		if s.section == "filter" && !slices.Contains(filters, s.sub) {
			filters = append(filters, s.sub)
		}
		for _, set := range over {
			if arg := prefix + set; !seen[arg] {
				seen[arg] = true
				args = append(args, arg)
			}
		}
	}
	if len(seen) > maxTamed {
		return nil, nil, unsafeConfig.Becausef("the repository has %d settings that could run programs", len(seen))
	}
	return args, filters, nil
}

// runsForLFS reports whether git-lfs, which the owner may have installed for
// all repositories, would run a program that the repository names.
func runsForLFS(s setting) bool {
	return s.key == "standalonetransferagent" || strings.Contains(s.sub, "standalonetransferagent") ||
		strings.HasPrefix(s.sub, "customtransfer") || strings.HasPrefix(s.sub, "extension")
}

// environment is what git gets: the base without what steers git, and what
// keeps it quiet. protocols are those that it may talk.
func (h *Host) environment(r *repository, protocols string, reads bool) []string {
	var base []string
	if h.Env != nil {
		base = h.Env()
	} else {
		base = sandbox.Env(sandbox.EnvConfig{})
	}
	env := make([]string, 0, len(base)+20)
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if keepVariable(strings.ToUpper(name)) {
			env = append(env, kv)
		}
	}
	env = append(env,
		"GIT_SSH_COMMAND=ssh -oBatchMode=yes", "GIT_PROXY_COMMAND=", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "GIT_PAGER=cat", "GIT_MERGE_AUTOEDIT=no",
		"GIT_ALLOW_PROTOCOL="+protocols, "GIT_NO_LAZY_FETCH=1", "LC_ALL=C.UTF-8", "LANGUAGE=C",
	)
	if above := parent(r.top()); above != "" && !strings.ContainsRune(above, os.PathListSeparator) {
		env = append(env, "GIT_CEILING_DIRECTORIES="+above)
	}
	if reads {
		env = append(env, "GIT_OPTIONAL_LOCKS=0")
	}
	return env
}

// keepVariable reports whether a variable of the base reaches git. Of git's own
// only those that name a person or the owner's config do.
func keepVariable(name string) bool {
	switch {
	case strings.HasPrefix(name, "GIT_AUTHOR_"), strings.HasPrefix(name, "GIT_COMMITTER_"), name == "GIT_CONFIG_GLOBAL":
		return true
	case strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "SSH_ASKPASS"), name == "LC_ALL", name == "LANGUAGE", name == "PAGER", name == "EDITOR", name == "VISUAL":
		return false
	}
	return true
}
