// Package gemini speaks the interface of Google's Gemini models: the request in
// request.go, the answer in stream.go. It keeps nothing between calls; thought
// signatures go back with the calls that they came with.
package gemini
