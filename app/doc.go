// Package app joins the parts into one program: the core with its store,
// models, tools and permissions, the control socket that serves it, and the
// desktop around it. It is the only package that knows them all.
//
// # Map
//
//	cmd ── app ─┬─ ui ───────────┐
//	            ├─ browser ──────┤
//	            ├─ computeruse ──┼─ core
//	            └─ assets        │
//
// Imports point right. layers_test.go holds the rule; house_test.go holds the
// rest of the house style.
package app
