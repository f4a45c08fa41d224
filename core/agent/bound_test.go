package agent

import (
	"context"
	"slices"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// TestBoundTurn holds a turn to the tools of the command that began it, also
// where a call within it bounds it further, and the next turn to nothing.
func TestBoundTurn(t *testing.T) {
	b := newBench(
		t,
		calls(call("1", "write", `{"text":"a"}`), call("2", "echo", `{"text":"a"}`)),
		calls(call("3", "narrow", `{}`)),
		calls(call("4", "echo", `{"text":"a"}`)), calls(call("5", "rest", `{"text":"bye"}`)),
		calls(call("6", "write", `{"text":"b"}`)), says("done"),
	)
	narrow, err := capability.Func("narrow", "Bounds the turn.", func(context.Context, struct{}) (capability.Result, error) {
		return capability.Result{Text: "ok", Bound: capability.Bound{"rest", "write"}}, nil
	})
	if err == nil {
		narrow.Class = capability.Exec
		err = b.Registry.Register(narrow)
	}
	if err != nil {
		t.Fatal(err)
	}
	in := input("look at a.txt")
	in.Command, in.Bound = "/look a.txt", capability.Bound{"echo", "rest", "narrow"}
	var codes []string
	for _, e := range b.turn(t, in) {
		switch p := e.Payload.(type) {
		case InputMessage:
			if p.Text != "look at a.txt" || p.Command != "/look a.txt" {
				t.Errorf("the message is %+v", p)
			}
		case ToolCompleted:
			codes = append(codes, p.Tool+" "+p.Code)
		default: // not of this test
		}
	}
	if want := []string{"write not_allowed", "echo ", "narrow ", "echo not_allowed", "rest "}; !slices.Equal(codes, want) {
		t.Errorf("calls: %q, want %q", codes, want)
	}
	var offered [][]string
	for _, r := range b.model.requests() {
		var names []string
		for _, tool := range r.Tools {
			names = append(names, tool.Name)
		}
		offered = append(offered, names)
	}
	for i, want := range [][]string{{"echo", "rest", "narrow"}, {"echo", "rest", "narrow"}, {"rest"}} {
		if !slices.Equal(offered[i], want) {
			t.Errorf("request %d offers %v, want %v", i, offered[i], want)
		}
	}
	for _, e := range b.turn(t, input("again")) {
		if p, ok := e.Payload.(ToolCompleted); ok && p.Failed {
			t.Errorf("the next turn is held too: %+v", p)
		}
	}
}
