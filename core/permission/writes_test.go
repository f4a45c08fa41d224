//go:build !windows

package permission

import (
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// What a command writes is found in its redirections and in its words.
func TestWritesTo(t *testing.T) {
	b := newBench(t)
	for line, want := range map[string]string{
		"echo x > y":                                "W/y",
		"echo x >> ~/.bashrc":                       "H/.bashrc",
		"cd src && echo x > ../y":                   "W/y",
		"cd .. && echo x > .profile":                "H/.profile",
		"echo x | tee y z":                          "W/y W/z",
		"tee -a ~/.zshrc":                           "H/.zshrc",
		"cp a.txt ~/.profile":                       "H/.profile",
		"cp -t ~/.config/autostart a.desktop":       "H/.config/autostart",
		"cp --target-directory=/etc a":              "/etc",
		"mv a.txt /etc/hosts":                       "/etc/hosts",
		"install -m 755 a ~/.local/bin/a":           "H/.local/bin/a",
		"ln -sf a ~/.bashrc":                        "H/.bashrc",
		"sed -i s/a/b/ ~/.bashrc":                   "W/s/a/b H/.bashrc",
		"sed -i.bak -e s/a/b/ ~/.bashrc":            "W/s/a/b H/.bashrc",
		"sed s/a/b/ ~/.bashrc":                      "",
		"perl -pi -e 1 ~/.bashrc":                   "W/1 H/.bashrc",
		"dd if=a of=/etc/cron.d/x":                  "/etc/cron.d/x",
		"curl -o ~/.bashrc https://example.org":     "H/.bashrc",
		"curl -o/etc/x https://example.org":         "/etc/x",
		"wget --output-document=/etc/x http://x":    "/etc/x",
		"wget -P ~/bin http://x":                    "H/bin",
		"tar -xf a.tar -C ~/.config":                "H/.config",
		"touch ~/.hushlogin":                        "H/.hushlogin",
		"chmod +x ~/bin/a":                          "H/bin/a",
		"sort -o ~/.profile a":                      "H/.profile",
		"gcc -o ~/bin/x x.c":                        "H/bin/x",
		"git diff --output=/etc/x":                  "/etc/x",
		"cat a.txt":                                 "",
		"echo x > /dev/null 2>&1":                   "",
		"{ echo a; echo b; } > /etc/x":              "/etc/x",
		"bash -c 'echo x > /etc/x'":                 "/etc/x",
		"echo x 2> /etc/x":                          "/etc/x",
		"echo x &>> /etc/x":                         "/etc/x",
		"echo x >| /etc/x":                          "/etc/x",
		"exec 3> /etc/x":                            "/etc/x",
		"env FOO=1 tee /etc/x":                      "/etc/x",
		"sudo tee /etc/x":                           "/etc/x",
		"find . -exec cp {} ~/.config/autostart/ ;": "H/.config/autostart",
	} {
		s := b.subject(shellTool, capability.Call{Name: "shell", Turn: b.turn}, capability.Preview{Shell: line, Dir: b.ws})
		var got []string
		for _, w := range s.fileTargets(s.line) {
			w = strings.Replace(w, b.ws+"/", "W/", 1)
			got = append(got, strings.Replace(w, b.home+"/", "H/", 1))
		}
		want := strings.Fields(want)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: writes to %q, want %q", line, got, want)
		}
	}
}

// A rule for a command does not let it write anywhere: not to what is run by
// itself, not outside the roots, and never by a redirection.
func TestRulesDoNotCoverWrites(t *testing.T) {
	all := []Rule{
		{Tool: "shell", Action: Allow},
		{Tool: "shell", Match: "echo *", Action: Allow},
		{Tool: "shell", Match: "cp *", Action: Allow},
		{Tool: "shell", Match: "tee *", Action: Allow},
		{Tool: "shell", Match: "sed *", Action: Allow},
		{Tool: "shell", Match: "curl *", Action: Allow},
		{Tool: "shell", Match: "crontab *", Action: Allow},
		{Tool: "shell", Match: "ln *", Action: Allow},
		{Tool: "shell", Match: "cp a.txt ../b.txt", Action: Allow},
		{Tool: "shell", Match: "cp a.txt ../.profile", Action: Allow},
		{Tool: "shell", Match: "git *", Action: Allow},
		{Tool: "shell", Match: "systemctl *", Action: Allow},
	}
	b := newBench(t, all...)
	for line, want := range map[string]string{
		"echo x":                              "auto",
		"echo x > y":                          "ask",
		"echo x > ~/.bashrc":                  "ask",
		"echo x >> /etc/hosts":                "ask",
		"cd .. && echo x >> .bashrc":          "ask",
		"cp a.txt c.txt":                      "auto",
		"cp a.txt src/":                       "auto",
		"cp a.txt ~/.profile":                 "ask",
		"cp a.txt ../.profile":                "ask", // also where a rule holds these very words
		"cp a.txt ../b.txt":                   "auto",
		"cp a.txt ../c.txt":                   "ask",
		"cp a.txt /etc/cron.d/x":              "ask",
		"cp a.txt .git/hooks/pre-commit":      "ask",
		"cp a.txt homelink/.bashrc":           "ask", // a link that leads out of the roots
		"tee b.txt":                           "auto",
		"tee ~/.config/autostart/x.desktop":   "ask",
		"sed -i s/a/b/ a.txt":                 "auto",
		"sed -i s/a/b/ ~/.zshrc":              "ask",
		"curl -o b.txt https://example.org":   "auto",
		"curl -o ~/bin/x https://example.org": "ask",
		"ln -s a.txt b":                       "auto",
		"ln -sf a.txt ~/.vimrc":               "ask",
		"crontab -l":                          "auto",
		"crontab x":                           "ask",
		"git config core.pager x":             "ask",
		"git commit -m x":                     "auto",
		"systemctl --user enable x":           "ask",
		"systemctl status x":                  "auto",
		"echo key >> ~/.ssh/authorized_keys":  "floor",
		"tee -a ~/.ssh/authorized_keys":       "floor",
		"cp a.txt ~/.ssh/config":              "floor",
		"sed -i s/a/b/ ~/.aws/credentials":    "floor",
		"ssh-keygen -f ~/.ssh/id_new":         "ask",
	} {
		if got := outcome(b.shell(Ask, line)); got != want {
			t.Errorf("%q: got %s, want %s", line, got, want)
		}
	}
	b = newBench(t, Rule{Tool: "shell", Match: "echo *", Action: Allow}, Rule{Tool: "shell", Match: "path:~/project/logs/**", Action: Allow})
	for line, want := range map[string]string{
		"echo x > logs/a": "auto", "cd logs && echo x > a": "auto", "echo x > logs/../a": "ask", "echo x > other": "ask", "echo x >> logs/b/c": "auto", "git push > logs/a": "ask",
	} {
		if got := outcome(b.shell(Ask, line)); got != want {
			t.Errorf("%q with a rule for its path: got %s, want %s", line, got, want)
		}
	}
}

// The person who is asked is told what a line writes that is more than it seems.
func TestWriteWarnings(t *testing.T) {
	b := newBench(t)
	for line, want := range map[string]string{
		"echo x > ~/.bashrc":              "H/.bashrc, which is run or obeyed",
		"cp a.txt ~/.config/autostart/":   "H/.config/autostart, which is run or obeyed",
		"echo x >> /etc/hosts":            "/etc/hosts, which is run or obeyed",
		"cp x .git/hooks/pre-commit":      "W/.git/hooks/pre-commit, which is run or obeyed",
		"echo x > ../other/y":             "outside your folders: H/other/y",
		"crontab jobs":                    "runs later by itself (crontab)",
		"echo x | at noon":                "runs later by itself (at)",
		"systemctl --user enable x.timer": "runs later by itself (systemctl)",
	} {
		s := b.subject(shellTool, capability.Call{Name: "shell", Turn: b.turn}, capability.Preview{Shell: line, Dir: b.ws})
		all := strings.ReplaceAll(strings.ReplaceAll(strings.Join(s.line.Warnings, "\n"), b.ws+"/", "W/"), b.home+"/", "H/")
		if !strings.Contains(all, want) || s.risk() != High {
			t.Errorf("%q: warnings %q, risk %s; want one with %q", line, all, s.risk(), want)
		}
	}
	s := b.subject(shellTool, capability.Call{Name: "shell", Turn: b.turn}, capability.Preview{Shell: "echo x > y && cp a.txt src/", Dir: b.ws})
	if len(s.line.Warnings) > 0 {
		t.Errorf("ordinary writes warn: %q", s.line.Warnings)
	}
}
