// Package outbound uses servers of the Model Context Protocol: programs that
// it starts (program.go), and addresses. Their tools become capabilities, under
// names of their own, with the server's claims taken as hints.
//
// A [Manager] keeps one supervised connection a server:
//
//	Spec → connect → discover → capabilities in the registry
//	        ↑ crash, lost session, list_changed ↓
//	        └── again, at most so often ── quarantined, with the reason
//
// mcp-go speaks the protocol. What it does not do is done in thin layers here:
// a transport for programs that bounds and forgives what they print, and a tap
// on the transport that reads tool lists as they came.
package outbound
