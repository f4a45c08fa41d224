// Package netguard decides which addresses of the network Hobkin may reach for
// a model: the web tools, the browser, plugins, MCP servers and the commands of
// a shell all go through one [Guard].
//
// What a page, a mail or a model writes is somebody else's will. Without a guard
// "http://169.254.169.254/" reads a cloud machine's keys and "http://0x7f.1/"
// speaks to the programs of this machine. So only http and https to ports 80
// and 443 of global addresses are let through, in whatever spelling; everything
// else needs an entry of the owner's in [net] allow_hosts.
//
//	address as text ─► host as a resolver would read it ─► rules on name and port
//	                                                            │
//	connection ◄── one of the judged addresses ◄── every address judged ◄── DNS
//
// Two ideas hold it. A host is brought into its one plain form first (IDNA, odd
// spellings of addresses, trailing dots) and judged only then. And the judgement
// that counts is made where the connection is: [Guard.DialContext] resolves,
// judges every address and connects to one of the very addresses it judged, so
// an answer of the DNS that changes in between changes nothing.
//
// It imports nothing else of ours but the failures of core/capability.
package netguard
