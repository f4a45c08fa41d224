package offline_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider/offline"
	"github.com/hobkin/hobkin/core/tools/file"
	"github.com/hobkin/hobkin/core/tools/memory"
	"github.com/hobkin/hobkin/core/tools/schedule"
	"github.com/hobkin/hobkin/core/tools/system"
	"github.com/hobkin/hobkin/core/tools/web"
)

// The calls of the examples are such as the tools take.
func TestExamplesFitTheTools(t *testing.T) {
	tools := map[string]capability.Capability{}
	for _, c := range slices.Concat(file.Tools.Bind(&file.Host{}), system.Tools.Bind(&system.Host{}), schedule.Tools.Bind(&schedule.Host{}), web.Tools.Bind(&web.Host{}), memory.Tools.Bind(&memory.Host{})) {
		tools[c.Name] = c
	}
	checked := map[string]bool{}
	for _, e := range offline.Examples() {
		for _, one := range append([]string{e.Call + " " + e.Args}, e.Then...) {
			name, args, _ := strings.Cut(one, " ")
			c, ok := tools[name]
			if !ok || name == "todo_write" { // its items are made to fit when the tool is offered
				continue
			}
			checked[name] = true
			if err := capability.ValidateJSON(c.Parameters, json.RawMessage(args)); err != nil {
				t.Errorf("%q becomes %s, which it does not take: %v", e.Say, one, err)
			}
		}
	}
	for _, name := range []string{"file_read", "file_write", "file_edit", "file_undo", "list_dir", "glob_search", "content_search", "shell", "notify", "tool_help", "web_fetch", "web_search", "memory_store", "memory_recall", "memory_forget", "schedule_job", "list_jobs"} {
		if !checked[name] {
			t.Errorf("no example calls %s", name)
		}
	}
}
