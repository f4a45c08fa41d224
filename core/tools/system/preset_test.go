package system

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

func TestPresets(t *testing.T) {
	if err := (&capability.Registry{}).RegisterAll(presetTools().Bind(nil)...); err != nil {
		t.Error(err)
	}
	bin := t.TempDir()
	for _, p := range presets {
		if err := os.WriteFile(filepath.Join(bin, p.name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(bin, "codex")); err != nil {
		t.Fatal(err)
	}
	h := &Host{Env: func() []string { return []string{"PATH=" + bin} }}
	for name, tt := range map[string]struct {
		profile string
		presets []string
		want    []string
		absent  string
	}{
		"bare":       {profile: "bare", absent: "command_git"},
		"dev_tools":  {profile: "bare", presets: []string{"dev_tools"}, want: []string{"command_git", "command_gh", "command_make"}, absent: "command_claude"},
		"ai_tools":   {profile: "bare", presets: []string{"ai_tools"}, want: []string{"command_claude"}, absent: "command_codex"},
		"assistant":  {profile: "assistant", want: []string{"command_jq", "command_pandoc"}, absent: "command_git"},
		"everything": {profile: "extended", want: []string{"command_git", "command_claude", "command_jq", "command_docker"}, absent: "command_codex"},
	} {
		var got []string
		for _, c := range h.Presets(tt.profile, tt.presets) {
			got = append(got, c.Name)
		}
		for _, w := range tt.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %s is not among %v", name, w, got)
			}
		}
		if slices.Contains(got, tt.absent) || tt.want == nil && len(got) > 0 {
			t.Errorf("%s: offers %v", name, got)
		}
	}
}
