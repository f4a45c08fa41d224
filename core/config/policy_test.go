package config

import "testing"

func TestPolicy(t *testing.T) {
	for text, want := range map[string]string{
		"":                                         "",
		"[policy.compaction]\nenabled = false\n":   "",
		"[policy.compaction]\nat_percent = 70\n":   "",
		"[policy.compaction]\nto_percent = 80\n":   "2: policy.compaction.to_percent (80) must be at least 10 less than at_percent (85)",
		"[policy.compaction]\nat_percent = 40\n":   "2: policy.compaction.to_percent (50) must be at least 10 less than at_percent (40)",
		"[policy.compaction]\nat_percent = 99\n":   "2: policy.compaction.at_percent must be at most 95",
		"[policy.loop_detection]\nwarn = 4\n":      "",
		"[policy.loop_detection]\nwarn = 9\n":      "2: policy.loop_detection.stop (5) must be more than warn (9)",
		"[policy.loop_detection]\nstop = 3\n":      "2: policy.loop_detection.stop (3) must be more than warn (3)",
		"[policy.progress_guard]\nlooks = 1\n":     "2: policy.progress_guard.looks must be at least 5",
		"[policy.distillation]\nto_bytes = 4096\n": "2: policy.distillation.to_bytes (4096) must not be less than from_bytes (8192)",
	} {
		checkText(t, text, want)
	}
}
