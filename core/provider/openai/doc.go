// Package openai speaks the two formats of OpenAI: [Chat] is Chat Completions,
// which most other servers speak as well, and [Responses] is the newer one,
// which keeps the reasoning of a model between calls.
//
// Chat takes what compatible servers really send: calls without an index or
// with their id repeated, arguments in one piece or as an object, an answer in
// one document although a stream was asked for, a stream without [DONE], errors
// within a stream.
package openai
