package app

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ClientConfig is what makes another program use our tools: the text to paste,
// and where it goes. Program is the absolute path of hobkin.
func ClientConfig(client, program string, tools []string) (block, where string, err error) {
	args := []string{"mcp", "serve"}
	if len(tools) > 0 {
		args = append(args, "--tools", strings.Join(tools, ","))
	}
	entry := map[string]any{"command": program, "args": args}
	list := "mcpServers"
	switch client {
	case "claude":
		where = "claude_desktop_config.json (Settings, Developer, Edit Config), or .mcp.json of a project"
	case "cursor":
		where = "~/.cursor/mcp.json, or .cursor/mcp.json of a project"
	case "vscode":
		where = ".vscode/mcp.json of a project, or the command MCP: Open User Configuration"
		list, entry["type"] = "servers", "stdio"
	default:
		return "", "", fmt.Errorf("%q is not known here; choose claude, cursor or vscode", client)
	}
	raw, err := json.MarshalIndent(map[string]any{list: map[string]any{"hobkin": entry}}, "", "  ")
	return string(raw), where, err
}
