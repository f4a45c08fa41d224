// Package imagegen has pictures made and changed by services on the web: OpenAI
// and what is compatible with it, xAI, and Google.
//
// A service is one file. What one cannot do is refused before anything is sent;
// none stands in for another.
package imagegen

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/picture"
	"github.com/hobkin/hobkin/core/webapi"
)

// An Error is a failure of a service, in words.
type Error = webapi.Error

// The sizes that can be asked for. Services that know only shapes make a
// picture of that shape.
const (
	SizeAuto      = "auto"
	SizeSquare    = "1024x1024"
	SizeLandscape = "1536x1024"
	SizePortrait  = "1024x1536"
)

// Options say how a service is reached.
type Options struct {
	Client  *http.Client                                      // must be set
	BaseURL string                                            // empty is the service's own
	Model   string                                            // empty is the service's usual one
	Key     func(ctx context.Context) (key string, err error) // nil where there is none
	// Download fetches a picture that an answer only links to. Nil is Client.
	Download *http.Client
}

// An Order is the picture that is wanted.
type Order struct {
	Prompt string
	Size   string // one of the sizes; empty is auto
	Model  string // empty is that of the options
	Image  []byte // the picture to change; nil makes a new one
	Mask   []byte // PNG, as large as Image: only where it is transparent is changed; may be nil
}

// A Picture is what was made.
type Picture struct {
	MIME    string
	Data    []byte
	Revised string // the prompt as the service understood it; often empty
}

// A Maker is one service, ready to be asked.
type Maker struct {
	spec *spec
	o    Options
}

// spec is what is special about a service.
type spec struct {
	name, title, base, site, model string
	edits, masks                   bool
	request                        func(o Order) (webapi.Request, error)
	auth                           func(key string) map[string]string
	parse                          func(body []byte) (made, error)
}

// made is what an answer holds.
type made struct {
	data    []byte
	link    string // where the picture is, when the answer does not hold it
	revised string
}

func all() []*spec { return []*spec{&openai, &xai, &google} }

// Kinds lists the services. openai is also every server that is compatible
// with it.
func Kinds() []string {
	var out []string
	for _, s := range all() {
		out = append(out, s.name)
	}
	return out
}

// Open returns a service by its kind.
func Open(kind string, o Options) (*Maker, error) {
	for _, s := range all() {
		if s.name == kind {
			return &Maker{s, o}, nil
		}
	}
	return nil, fmt.Errorf("imagegen: %q is no service that makes pictures; there are %s", kind, strings.Join(Kinds(), ", "))
}

// Title is the service's name for people.
func (m *Maker) Title() string {
	if m.o.BaseURL != "" {
		return m.host()
	}
	return m.spec.title
}

// Address is where the service is asked.
func (m *Maker) Address() string {
	if m.o.BaseURL != "" {
		return m.o.BaseURL
	}
	return m.spec.base
}

// Model is the model that an order without its own goes to.
func (m *Maker) Model() string {
	if m.o.Model != "" {
		return m.o.Model
	}
	return m.spec.model
}

func (m *Maker) host() string {
	_, rest, _ := strings.Cut(m.o.BaseURL, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

const (
	patience  = 4 * time.Minute // for a picture
	mostBytes = 40 << 20        // of an answer, which is base64
)

// Make has a picture made, or changed when the order holds one. A failure is an
// [*Error], or the error of ctx.
func (m *Maker) Make(ctx context.Context, o Order) (*Picture, error) {
	if o.Model == "" {
		o.Model = m.Model()
	}
	if o.Size == "" {
		o.Size = SizeAuto
	}
	inner, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := m.make(inner, o)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, m.service().Fail(webapi.KindDown, err, "it made no picture within %s", patience)
	}
	return p, err
}

func (m *Maker) service() *webapi.Service {
	return &webapi.Service{
		Name: m.spec.name, Title: m.Title(), Base: m.Address(), Site: m.spec.site, Setting: "image.base_url",
		Client: m.o.Client, Key: m.o.Key, MostBytes: mostBytes, Keyless: m.o.Key == nil && m.o.BaseURL != "",
	}
}

func (m *Maker) make(ctx context.Context, o Order) (*Picture, error) {
	s := m.service()
	switch {
	case o.Image != nil && !m.spec.edits:
		return nil, s.Fail(webapi.KindRequest, nil, "it cannot change pictures, only make new ones")
	case o.Mask != nil && !m.spec.masks:
		return nil, s.Fail(webapi.KindRequest, nil, "it takes no mask; say in the prompt what is to be changed")
	}
	req, err := m.spec.request(o)
	if err != nil {
		return nil, err
	}
	body, err := s.Call(ctx, func(key string) webapi.Request {
		if key != "" {
			req.Header = m.spec.auth(key)
		}
		return req
	})
	if err != nil {
		return nil, err
	}
	got, err := m.spec.parse(body)
	if own, ok := errors.AsType[*Error](err); ok {
		own.Service = s.Title
		return nil, own
	}
	if err != nil {
		return nil, s.Fail(webapi.KindAnswer, err, "its answer holds no picture")
	}
	if got.data == nil {
		if got.data, err = m.download(ctx, got.link); err != nil {
			return nil, err
		}
	}
	mime := picture.Type(got.data)
	if mime == "" || mime == "image/bmp" {
		return nil, s.Fail(webapi.KindAnswer, nil, "what it sent is no picture that can be shown")
	}
	return &Picture{MIME: mime, Data: got.data, Revised: webapi.Brief(got.revised)}, nil
}

// download fetches a picture from where an answer says it is.
func (m *Maker) download(ctx context.Context, link string) ([]byte, error) {
	client := m.o.Download
	if client == nil {
		client = m.o.Client
	}
	s := &webapi.Service{Title: m.Title() + " (download)", Base: link, Client: client, Keyless: true, MostBytes: mostBytes}
	return s.Call(ctx, func(string) webapi.Request { return webapi.Request{Header: map[string]string{"Accept": "image/*"}} })
}

// shape is the proportion of a size, for services that want one; empty for
// auto.
func shape(size string) string {
	return map[string]string{SizeSquare: "1:1", SizeLandscape: "3:2", SizePortrait: "2:3"}[size]
}
