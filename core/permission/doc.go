// Package permission decides what a person must agree to, and asks.
//
// A [Gate] judges every call whose arguments are final, in one fixed order:
//
//	floor → bounds of the turn → deny rules → plan mode → ask rules → allow rules
//	and grants of the session → safe set → accept_edits → auto → ask a person
//
// The floor is what no mode and no rule lifts: wiping the home, formatting a
// disk, reading keys, approving oneself. What is left over is asked for; where
// no one can be asked, the answer is no.
//
// A command line is judged by what a shell would run, not by its text:
// [Analyse] takes it apart into simple commands, follows wrappers such as env,
// xargs and sh -c to the command inside, and says so when it cannot tell. What
// it cannot tell always asks.
//
// A [Broker] keeps the questions that wait. The first answer wins, on whatever
// surface it was given; an answer is bound to the exact call, used once.
//
// What paths may be touched at all is decided by package sandbox, whatever is
// agreed to here. Hints of a tool inform the risk; they never grant.
//
// Of this module it imports capability, sandbox and the events of agent.
package permission
