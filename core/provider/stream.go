package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// StreamDone is the name of the frame that stands for the word [DONE] at the end
// of a stream. It has no document.
const StreamDone = "[DONE]"

// A Decoder turns the documents of one answer into events. It is used once.
type Decoder interface {
	// Frame takes in one JSON document of the answer. name is the name of the
	// event it came in, and whole says that it is the entire answer, from a
	// provider that did not stream. done says that nothing more is to come.
	Frame(name string, doc []byte, whole bool) (events []Event, done bool, err error)
	// End closes the answer: what is left of it and its [Done], or an error
	// when the answer is not whole.
	End() ([]Event, error)
}

// Stream posts body and gives what comes back to the decoder, in the manner of
// [Model].Stream.
func (e Endpoint) Stream(ctx context.Context, path string, body []byte, d Decoder) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		a, err := e.Post(ctx, path, body)
		if err != nil {
			yield(nil, err)
			return
		}
		defer a.Close()
		broke := a.decode(d, yield)
		if errors.Is(broke, errStopped) {
			return
		}
		if broke != nil && ctx.Err() != nil {
			yield(nil, ctx.Err())
			return
		}
		if pe, ok := errors.AsType[*Error](broke); ok && pe.Kind != KindNetwork && pe.Kind != KindTimeout {
			yield(nil, broke)
			return
		}
		// A connection that broke or hung after the last word has still brought a
		// whole answer.
		events, err := d.End()
		if err != nil && broke != nil {
			err = broke
		}
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// An Exchange is one request in a wire format and the reading of its answer.
type Exchange struct {
	Path    string
	Body    func(messages []Message) any // of the mended history, for JSON
	Decoder Decoder
}

// Ask mends the history for the model that info describes, sends it and streams
// the answer.
func (e Endpoint) Ask(ctx context.Context, history []Message, info Info, x Exchange) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		messages := Normalize(history, info)
		body, err := e.Encode(x.Body(messages), messages)
		if err != nil {
			yield(nil, err)
			return
		}
		e.Stream(ctx, x.Path, body, x.Decoder)(yield)
	}
}

// errStopped says that the caller wants no more.
var errStopped = errors.New("stopped")

// decode feeds d until it has enough or the answer ends.
func (a *Answer) decode(d Decoder, yield func(Event, error) bool) error {
	for f, err := range a.frames() {
		if err != nil {
			return err
		}
		events, done, err := d.Frame(f.name, f.doc, f.whole)
		for _, event := range events {
			if !yield(event, nil) {
				return errStopped
			}
		}
		if err != nil || done {
			return err
		}
	}
	return nil
}

// A frame is one JSON document of an answer.
type frame struct {
	name  string
	doc   []byte
	whole bool
}

// frames reads the answer as what it is, whatever its content type claims: a
// stream of events, or one JSON document.
func (a *Answer) frames() iter.Seq2[frame, error] {
	return func(yield func(frame, error) bool) {
		first, err := a.firstByte()
		switch {
		case err != nil:
			yield(frame{}, a.Fail(err))
		case first == '<':
			yield(frame{}, a.notUnderstood("it answered with a web page", trySettings))
		case first == '{' || first == '[':
			doc, err := a.all()
			if err == nil && !json.Valid(doc) {
				err = a.notUnderstood("the answer is not valid JSON", tryLater)
			}
			yield(frame{doc: doc, whole: true}, err)
		default:
			a.events(yield)
		}
	}
}

// events yields the documents of a stream, up to [DONE].
func (a *Answer) events(yield func(frame, error) bool) {
	for e, err := range ReadSSE(a.buffered, a.endpoint.MaxAnswer) {
		doc := bytes.TrimSpace(e.Data)
		switch {
		case err != nil:
			yield(frame{}, a.Fail(err))
			return
		case len(doc) == 0:
			continue
		case string(doc) == StreamDone:
			yield(frame{name: StreamDone}, nil)
			return
		case !json.Valid(doc):
			if !e.Cut { // else the connection broke within it, which End will find
				yield(frame{}, a.notUnderstood("a piece of the answer is not valid JSON", tryLater))
			}
			return
		}
		if !yield(frame{name: e.Event, doc: doc}, nil) {
			return
		}
	}
}

// firstByte skips white space and looks at the first other byte.
func (a *Answer) firstByte() (byte, error) {
	for range 64 << 10 {
		b, err := a.buffered.Peek(1)
		if errors.Is(err, io.EOF) {
			return 0, Broken(a.endpoint.Provider, io.ErrUnexpectedEOF)
		}
		if err != nil {
			return 0, err
		}
		if !bytes.ContainsAny(b, " \t\r\n") {
			return b[0], nil
		}
		_, _ = a.buffered.Discard(1) // it was just seen
	}
	return 0, a.notUnderstood("the answer is only white space", tryLater)
}

// all reads the whole body.
func (a *Answer) all() ([]byte, error) {
	doc, err := io.ReadAll(io.LimitReader(a.buffered, a.endpoint.MaxAnswer+1))
	if err == nil && int64(len(doc)) > a.endpoint.MaxAnswer {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, a.Fail(err)
	}
	return doc, nil
}

func (a *Answer) notUnderstood(message, try string) *Error {
	return &Error{Provider: a.endpoint.Provider, Kind: KindResponse, Message: message, Try: try}
}

// NotUnderstood is the failure of an answer whose JSON has another shape than
// its format says.
func NotUnderstood(provider string, cause error) *Error {
	return &Error{Provider: provider, Kind: KindResponse, Message: "the answer has an unknown shape", Try: tryLater, Err: cause}
}

// Encode writes a request as JSON and refuses one that is too large to be
// taken: as [KindContext] where a shorter conversation would help, as
// [KindInvalid] where the last message alone is too large.
func (e Endpoint) Encode(body any, messages []Message) ([]byte, error) {
	e.fill()
	if len(messages) == 0 {
		return nil, &Error{Provider: e.Provider, Kind: KindInvalid, Message: "there is no message to answer", Try: "write a message"}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, &Error{Provider: e.Provider, Kind: KindInvalid, Message: "the request cannot be written as JSON", Try: tryRequest, Err: err}
	}
	if buf.Len() <= e.MaxRequest {
		return buf.Bytes(), nil
	}
	refused := &Error{
		Provider: e.Provider, Kind: KindContext, Try: tryContext,
		Message: fmt.Sprintf("the conversation is %s as a request; at most %s are taken", megabytes(int64(buf.Len())), megabytes(int64(e.MaxRequest))),
	}
	if Weight(messages[lastTurn(messages):]) > e.MaxRequest*9/10 {
		refused.Kind, refused.Try = KindInvalid, "send less at once: fewer or smaller pictures, or a part of the text"
		refused.Message = fmt.Sprintf("the last message is too large; at most %s are taken", megabytes(int64(e.MaxRequest)))
	}
	return nil, refused
}

// lastTurn is where the messages after the last answer begin.
func lastTurn(messages []Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == RoleAssistant {
			return i + 1
		}
	}
	return 0
}

// Weight is about what messages are on the wire, in bytes.
func Weight(messages []Message) int {
	n := 0
	for _, m := range messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case Text:
				n += len(p.Text)
			case Image:
				n += len(p.Data) * 4 / 3
			case Reasoning:
				n += len(p.Text) + len(p.Signature) + len(p.Encrypted)
			case ToolCall:
				n += len(p.Args) + len(p.Name)
			case ToolResult:
				n += len(p.Text)
				for _, img := range p.Images {
					n += len(img.Data) * 4 / 3
				}
			}
		}
	}
	return n
}
