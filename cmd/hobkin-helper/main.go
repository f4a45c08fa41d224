// Hobkin-helper is the native helper for computer use: a child process that
// takes requests as lines of JSON on its input and answers on its output, so
// that a crash of native code takes nothing else with it.
//
// It knows one request so far: hello, which tells its version and protocol.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/hobkin/hobkin/computeruse/wire"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "hobkin-helper:", err)
		os.Exit(1)
	}
}

// maxLine bounds one request, in bytes.
const maxLine = 1 << 20

// serve answers requests until the input ends: whoever started the helper has
// gone then, or wants it to go.
func serve(r io.Reader, w io.Writer) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 4096), maxLine)
	enc := json.NewEncoder(w)
	for sc.Scan() {
		if err := enc.Encode(answer(sc.Bytes())); err != nil {
			return err
		}
	}
	return sc.Err()
}

func answer(line []byte) wire.Message {
	var req wire.Request
	if err := json.Unmarshal(line, &req); err != nil {
		return wire.Message{Error: &wire.Error{Code: wire.BadRequest, Message: "the request is not one line of JSON"}}
	}
	if req.Method != wire.Hello {
		return wire.Message{ID: req.ID, Error: &wire.Error{
			Code:    wire.BadRequest,
			Message: fmt.Sprintf("this helper does not know %q", req.Method),
		}}
	}
	result, err := json.Marshal(wire.HelloResult{Protocol: wire.Protocol, Version: wire.Version, Capabilities: []wire.Capability{}})
	if err != nil {
		return wire.Message{ID: req.ID, Error: &wire.Error{Code: wire.Failed, Message: err.Error()}}
	}
	return wire.Message{ID: req.ID, Result: result}
}
