package imports

import (
	"path/filepath"
	"runtime"
)

// A Place is a file where another program keeps its servers.
type Place struct {
	Program string
	Path    string
}

// Places are the files to look for: of the user with that home and configuration
// folder, and of the project in dir.
func Places(home, settings, dir string) []Place {
	desktop := filepath.Join(settings, "Claude", "claude_desktop_config.json")
	code := filepath.Join(settings, "Code", "User", "mcp.json")
	zed := filepath.Join(home, ".config", "zed", "settings.json")
	if runtime.GOOS == "windows" {
		zed = filepath.Join(settings, "Zed", "settings.json")
	}
	return []Place{
		{"Claude Desktop", desktop},
		{"Claude Code", filepath.Join(home, ".claude.json")},
		{"Claude Code, this project", filepath.Join(dir, ".mcp.json")},
		{"Cursor", filepath.Join(home, ".cursor", "mcp.json")},
		{"Cursor, this project", filepath.Join(dir, ".cursor", "mcp.json")},
		{"Windsurf", filepath.Join(home, ".codeium", "windsurf", "mcp_config.json")},
		{"VS Code", code},
		{"VS Code, this project", filepath.Join(dir, ".vscode", "mcp.json")},
		{"Zed", zed},
	}
}
