// Package wire is the protocol between Hobkin and its native helper: one line
// of JSON a request, one line an answer, in order.
package wire

import "github.com/hobkin/hobkin/core/version"

// Protocol is the version of the words below; both sides must have the same.
const Protocol = 1

// Version is the version of the program.
const Version = version.Version

// Hello asks who answers. It is the first request on every connection.
const Hello = "hello"

// A Request is a line to the helper.
type Request struct {
	ID     int64  `json:"id"`
	Method string `json:"method"`
}

// An Answer is a line from the helper: an error or the field of its method.
type Answer struct {
	ID    int64        `json:"id"`
	Error *Error       `json:"error,omitempty"`
	Hello *HelloAnswer `json:"hello,omitempty"`
}

// An Error says why a request could not be met.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// HelloAnswer says who answers.
type HelloAnswer struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
}
