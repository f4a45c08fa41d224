// Package capability describes what the agent can do, and runs it.
//
// A [Capability] is a value: the words (name, description, docs), the rules
// (class, category, hints) and the deed (a handler). All of them live in one
// [Registry]. The model, the Tools page, the command line, the help pages and
// the MCP server ask that registry and nothing else.
//
// # Life of a capability
//
// A tool file calls [Add] in its init function, which puts the tool into its
// group's [Set]. At start package app binds each Set to a live host and
// registers the results. Capabilities that are first heard of at run time
// (MCP, plugins) are plain values given to [Registry.Register].
//
// # Life of a call
//
// [Runner.Run] takes a call through one list of small steps: resolve, policy,
// repair, validate, guard, approve, run, and then the same care for what came
// out of it. The order is the list [path] in runner.go.
//
// # Errors
//
// A tool that fails on purpose returns a [UserError], usually made from one of
// the [Failure] values that its docs declare. Any other error is a fault of the
// tool: it is logged under an id, and the model sees only that id.
//
// This package imports nothing else from the module, so that a third party
// needs it alone.
package capability
