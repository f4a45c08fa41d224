package git

import (
	"strings"
	"testing"
)

func TestWork(t *testing.T) {
	b := newBench(t)
	if got := b.read("status"); got.Summary != "nothing changed" || !strings.Contains(got.Text, "no commits yet") {
		t.Errorf("an empty repository: %q, %q", got.Summary, got.Text)
	}
	if got := b.read("log"); got.Text != "There are no commits yet." {
		t.Errorf("log of nothing: %q", got.Text)
	}
	b.put("a.txt", "one\n")
	b.put("b.txt", "two\n")
	if got := b.read("status").Summary; got != "2 untracked" {
		t.Errorf("status: %q", got)
	}
	b.write("add", "-A")
	if got := b.read("status").Summary; got != "2 staged" {
		t.Errorf("status: %q", got)
	}
	b.fails("no_message", "git_write", "", "commit")
	b.fails("no_message", "git_write", "", "commit", "-m", " ")
	got := b.write("commit", "-am", "First \"words\"")
	head := b.git("rev-parse", "HEAD")
	if !strings.Contains(got.Text, head) || string(got.Data) != `{"commit":"`+head+`"}` || got.Summary != "committed "+head[:10] {
		t.Errorf("commit: %q, %s, %q", got.Text, got.Data, got.Summary)
	}
	if want := `commit in ~/work · git commit -am "First \"words\""`; b.asked.Summary != want || b.asked.Destructive {
		t.Errorf("asked %q, want %q", b.asked.Summary, want)
	}
	b.fails("nothing_to_commit", "git_write", "", "commit", "-m", "again")
	if got := b.read("log"); !strings.Contains(got.Text, `Ada  First "words" (HEAD -> main)`) || got.Summary != "1 commit" {
		t.Errorf("log: %q, %q", got.Text, got.Summary)
	}
	if got := b.read("diff"); got.Summary != "no differences" {
		t.Errorf("diff: %q", got.Summary)
	}
}

func TestLookAndUndo(t *testing.T) {
	b := newBench(t)
	b.commit("a.txt", "one\n", "First")
	b.put("a.txt", "one\nmore\n")
	if got := b.read("diff"); !strings.Contains(got.Text, "+more") {
		t.Errorf("diff: %q", got.Text)
	}
	if got := b.read("diff", "--quiet"); got.Summary != "differences" {
		t.Errorf("diff --quiet: %q", got.Summary)
	}
	b.write("stash", "-m", "later")
	if got := b.write("stash", "list").Text; !strings.Contains(got, "later") {
		t.Errorf("stash list: %q", got)
	}
	if got := b.write("stash", "show", "-p").Text; !strings.Contains(got, "+more") {
		t.Errorf("stash show: %q", got)
	}
	b.write("stash", "pop")
	b.write("restore", "a.txt")
	if !b.asked.Destructive || len(b.asked.Warnings) != 1 || b.asked.Paths[0].Path != b.dir || !b.asked.Paths[0].Write {
		t.Errorf("restore asked %+v", b.asked)
	}
}

func TestBranches(t *testing.T) {
	b := newBench(t)
	b.commit("a.txt", "one\n", "First")
	b.write("switch", "-c", "next")
	if got := b.read("branch").Text; got != "  main\n* next" {
		t.Errorf("branch: %q", got)
	}
	if got := b.read("branch", "evil").Summary; got != "no branches" || strings.Contains(b.git("branch"), "evil") {
		t.Errorf("git_read branch made one: %q", got)
	}
	b.write("tag", "-a", "v1", "-m", "One")
	b.fails("no_message", "git_write", "", "tag", "-a", "v2")
	if got := b.write("tag", "-l").Text; got != "v1" {
		t.Errorf("tags: %q", got)
	}
	if got := b.read("blame", "a.txt").Text; !strings.Contains(got, "Ada 2026-01-02 1) one") {
		t.Errorf("blame: %q", got)
	}
	if got := b.read("show", "HEAD").Text; !strings.Contains(got, "Author: Ada") || !strings.Contains(got, "+one") {
		t.Errorf("show: %q", got)
	}
	b.write("commit", "--amend")
	b.write("checkout", "--detach")
	if got := b.read("status").Text; !strings.HasPrefix(got, "Not on a branch, at commit ") {
		t.Errorf("detached: %q", got)
	}
}
