package app

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/app/socket"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
)

// A desktop that runs takes changes back, and opens and closes sealed secrets,
// over its socket.
func TestUndoAndSecretsOverTheSocket(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv(config.HomeVariable, filepath.Join(dir, "home"))
	paths, err := config.DefaultPaths()
	if err != nil {
		t.Fatal(err)
	}
	core, err := Open(t.Context(), Options{Paths: paths, Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = core.Close() }()
	server, err := socket.Listen(t.Context(), paths.Socket(), core)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	c, err := control.Dial(t.Context(), paths.Socket())
	if err != nil {
		t.Fatal(err)
	}

	args, err := json.Marshal(map[string]string{"path": "a.txt", "content": "made\n"})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := c.Call(t.Context(), control.CallRequest{Tool: "file_write", Args: args, Workspace: dir, Mode: "accept_edits"}); err != nil || res.Failed {
		t.Fatalf("%+v, %v", res, err)
	}
	list, err := c.UndoList(t.Context(), control.UndoQuery{})
	if err != nil || len(list.Changes) != 1 || !list.Changes[0].Made || list.Changes[0].Undone {
		t.Fatalf("%+v, %v", list, err)
	}
	req := control.UndoRequest{Path: list.Changes[0].ID}
	if plan, err := c.UndoPlan(t.Context(), req); err != nil || !strings.Contains(plan.Diff, "-made") {
		t.Errorf("%+v, %v", plan, err)
	}
	if done, err := c.Undo(t.Context(), req); err != nil || !strings.Contains(done.Text, "Removed") {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "a.txt")); err == nil {
		t.Error("the file is still there")
	}
	_, err = c.Undo(t.Context(), req)
	if e, ok := errors.AsType[*control.Error](err); !ok || e.Code != "nothing_to_undo" || !strings.Contains(e.Try, "hobkin undo list") {
		t.Errorf("a second time: %v", err)
	}

	if err := c.UnlockSecrets(t.Context(), control.Unlock{Passphrase: "a right good passphrase"}); err != nil {
		t.Fatal(err) // it makes the sealed file
	}
	if err := core.secrets.Set(t.Context(), "x", "a value of ours"); err != nil {
		t.Fatal(err)
	}
	if err := c.LockSecrets(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !core.secrets.IsLocked("x") {
		t.Error("after lock it is open")
	}
	err = c.UnlockSecrets(t.Context(), control.Unlock{Passphrase: "a wrong passphrase"})
	if e, ok := errors.AsType[*control.Error](err); !ok || e.Code != "wrong_passphrase" {
		t.Errorf("a wrong passphrase: %v", err)
	}
	if err := c.UnlockSecrets(t.Context(), control.Unlock{Passphrase: "a right good passphrase"}); err != nil || core.secrets.IsLocked("x") {
		t.Errorf("the right one: %v", err)
	}
}
