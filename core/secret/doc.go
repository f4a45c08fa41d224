// Package secret keeps passwords and keys, finds them by reference, and keeps
// them out of everything that is shown or stored.
//
// A [Store] puts secrets into the keyring of the operating system. Where there
// is none, they go into a file sealed under a passphrase if the owner set one
// up, else into a file that only the owner can read and that says so;
// [Store.Status] tells in a sentence which it is, and why. Settings hold only
// references, which [Store.Resolve] follows at the last moment.
//
// A secret travels as a [Value], which does not print itself. A [Redactor]
// takes known values, in every usual encoding, and whatever looks like a key
// out of texts: logs, traces, results of tools, exports. A [Stream] does so
// with a text that comes in pieces.
package secret
