// Package inbound lets other programs use the agent's tools over the Model
// Context Protocol: over standard input and output (stdio.go) and over
// streamable HTTP on this machine (http.go).
//
// What they see is decided by an [Exposure], which shows nothing that the
// owner has not named. A call takes the same path as a call of the model:
// policy, repair, validation, approval, redaction, limits.
//
//	Exposure → tools/list
//	tools/call → Exposure again → capability.Runner → result
//
// mcp-go speaks the protocol. Only a plain call over standard input and output,
// which most messages are, goes to its tool without it (direct.go).
package inbound
