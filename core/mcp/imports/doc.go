// Package imports reads the tool servers that other programs are configured
// with: Claude Desktop, Claude Code, Cursor, Windsurf, VS Code and Zed. It only
// reads; what becomes of them is decided elsewhere.
//
// Their files are JSON, some with comments and commas too many. What is a secret
// among the values is told apart, so that it never stands in a settings file.
package imports
