package git

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// knownToGit lists the long options that the installed git has for a command.
func knownToGit(t *testing.T, dir, command string) (list []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append(strings.Fields(command), "--git-completion-helper-all")...)
	cmd.Dir, cmd.Env = dir, gitEnv()
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("git %s does not list its options: %v", command, err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		if name = strings.TrimSuffix(name, "="); strings.HasPrefix(name, "--") && name != "--" {
			list = append(list, name)
		}
	}
	return list
}

// TestOptionsOfTheInstalledGit holds that of all the options that git itself has,
// in every abbreviation that git would take, only those of the lists get through,
// and that the lists name none that git has not.
func TestOptionsOfTheInstalledGit(t *testing.T) {
	b := newBench(t)
	b.commit("a.txt", "one\n", "one")
	tried := 0
	for _, lists := range []map[string]options{reading, writing} {
		for command, allowed := range lists {
			known := knownToGit(t, b.dir, command)
			if command == "log" || command == "show" || command == "stash show" || command == "stash list" {
				known = append(known, knownToGit(t, b.dir, "diff")...)
			}
			for _, name := range known {
				tried += refusedInAllForms(t, command, allowed, name)
			}
			if command != "log" && command != "show" && command != "diff" && !strings.HasPrefix(command, "stash s") && !strings.HasPrefix(command, "stash l") {
				unknown := unknownTo(known, allowed)
				if len(unknown) > 0 && len(known) > 10 {
					t.Errorf("git %s has no %q", command, unknown)
				}
			}
		}
	}
	if tried < 3000 {
		t.Errorf("only %d spellings were tried", tried)
	}
	t.Logf("%d spellings of options that are not allowed were refused", tried)
}

// refusedInAllForms tries every beginning of an option that is not itself
// allowed, alone and with a value.
func refusedInAllForms(t *testing.T, command string, allowed options, name string) (tried int) {
	t.Helper()
	const dashes = 2
	for n := dashes + 1; n <= len(name); n++ {
		if _, ok := allowed[name[:n]]; ok {
			continue
		}
		for _, args := range [][]string{{name[:n]}, {name[:n] + "=x"}, {name[:n], "x"}, {"HEAD", name[:n]}} {
			tried++
			if c, err := allowed.check(command, args); err == nil {
				t.Errorf("git %s %q is let through as %q", command, args, c.args)
			}
		}
	}
	return tried
}

// unknownTo lists the long options that are allowed and that git does not list.
func unknownTo(known []string, allowed options) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		bare := "--" + strings.TrimPrefix(strings.TrimPrefix(name, "--"), "no-")
		if strings.HasPrefix(name, "--") && !slices.Contains(known, name) && !slices.Contains(known, bare) && !slices.Contains(known, "--no-"+name[2:]) && !slices.Contains(elsewhere, name) {
			out = append(out, name)
		}
	}
	return out
}

// elsewhere are options that git reads past its own list: those of blame that
// choose revisions.
var elsewhere = []string{"--since", "--date", "--first-parent", "--reverse", "--ignore-removal"}
