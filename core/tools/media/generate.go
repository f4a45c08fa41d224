package media

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/imagegen"
	"github.com/hobkin/hobkin/core/picture"
	"github.com/hobkin/hobkin/core/webapi"
)

var (
	notSetUp = &capability.Failure{Code: "not_set_up", When: "no service that makes pictures is set up", Try: "tell the user: set image.kind to openai, xai or google, and store its key with hobkin secrets set"}
	refused  = &capability.Failure{Code: "refused", When: "the service does not do what is asked, or declined it", Try: "change the request as the message says; no other service is tried"}
	failed   = &capability.Failure{Code: "service_failed", When: "the service did not answer as it should", Try: "try again later; no other service is tried"}
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:  "generate_image",
		Title: "Make a picture",
		Description: "Has a picture made from words, or an existing one changed, by the service that the owner set up. It costs money there. " +
			"The picture is saved beside the session and shown in the chat.",
		Class:    capability.ExternalAPI,
		Category: capability.CategoryMedia,
		Hints:    capability.Hints{OpenWorld: capability.Yes, LongRunning: capability.Yes},
		Docs: capability.Docs{
			When:  "when the user wants a picture; charts of data are better drawn by a program",
			Setup: "image.kind is openai, xai or google, with a key of that name; image.base_url for a server that is compatible with OpenAI",
			Examples: []capability.Example{
				{When: "the user describes a picture", In: generateIn{Prompt: "a red fox asleep in fresh snow, seen from above, soft morning light", Size: imagegen.SizeLandscape}},
				{When: "a picture is to be changed", In: generateIn{Operation: opEdit, Prompt: "make the sky overcast, leave the rest as it is", InputImage: "beach.png"}},
			},
			Fails: reading(notSetUp, refused, failed),
		},
	}, (*Host).generate, (*Host).previewGenerate)
}

const (
	opGenerate = "generate"
	opEdit     = "edit"

	deliverFile = "file"
)

type generateIn struct {
	Operation  string `json:"operation,omitempty" enum:"generate,edit" default:"generate" jsonschema:"a new picture, or a change of input_image"`
	Prompt     string `json:"prompt" min:"1" max:"4000" jsonschema:"what the picture shows, or what is to be changed"`
	InputImage string `json:"input_image,omitempty" jsonschema:"path of the picture to change: PNG, JPEG or WebP"`
	Mask       string `json:"mask,omitempty" jsonschema:"path of a PNG as large as input_image: only where it is transparent is changed"`
	Size       string `json:"size,omitempty" enum:"auto,1024x1024,1536x1024,1024x1536" default:"auto" jsonschema:"pixels; services that know only shapes take the shape"`
	Model      string `json:"model,omitempty" max:"200" jsonschema:"a model of the service other than the usual one"`
	Delivery   string `json:"delivery,omitempty" enum:"chat,file" default:"chat" jsonschema:"chat shows the picture, file only saves it"`
}

// generateOut is the structured result.
type generateOut struct {
	Path    string `json:"path"`
	MIME    string `json:"mime"`
	Service string `json:"service"`
	Model   string `json:"model"`
	Revised string `json:"revised_prompt,omitempty"`
}

// maker is the service that is set up.
func (h *Host) maker() (*imagegen.Maker, error) {
	if h.Maker == nil {
		return nil, notSetUp.Becausef("no service that makes pictures is set up")
	}
	m, err := h.Maker()
	switch {
	case err != nil:
		return nil, notSetUp.Becausef("the service that makes pictures cannot be used: %v", err)
	case m == nil:
		return nil, notSetUp.Becausef("no service that makes pictures is set up")
	}
	return m, nil
}

// order checks the arguments and reads the pictures that they name.
func (h *Host) order(turn capability.Turn, in generateIn) (o imagegen.Order, paths []string, err error) {
	o = imagegen.Order{Prompt: strings.TrimSpace(in.Prompt), Size: in.Size, Model: strings.TrimSpace(in.Model)}
	edit := in.Operation == opEdit
	switch {
	case o.Prompt == "":
		return o, nil, capability.BadInput.Becausef("/prompt: it is empty")
	case edit && in.InputImage == "":
		return o, nil, capability.BadInput.Becausef("/input_image: an edit needs the picture to change")
	case !edit && in.InputImage+in.Mask != "":
		return o, nil, capability.BadInput.Becausef("/operation: a picture or a mask is only for the operation edit")
	case !edit:
		return o, nil, nil
	}
	var abs string
	if o.Image, abs, err = h.source(turn, in.InputImage, "image/png", "image/jpeg", "image/webp"); err != nil {
		return o, nil, err
	}
	paths = append(paths, abs)
	if in.Mask != "" {
		if o.Mask, abs, err = h.source(turn, in.Mask, "image/png"); err != nil {
			return o, nil, err
		}
		paths = append(paths, abs)
	}
	return o, paths, nil
}

// source reads a picture of one of the types, whole and as it is.
func (h *Host) source(turn capability.Turn, path string, types ...string) ([]byte, string, error) {
	data, abs, err := h.Files.ReadWhole(turn, path, mostBytes)
	if err != nil {
		return nil, "", err
	}
	if !slices.Contains(types, picture.Type(data)) {
		return nil, "", notPicture.Becausef("%s is no %s", abs, strings.ToUpper(strings.ReplaceAll(strings.Join(types, ", "), "image/", "")))
	}
	return data, abs, nil
}

func (h *Host) previewGenerate(_ context.Context, call capability.Call, in generateIn) (capability.Preview, error) {
	m, err := h.maker()
	if err != nil {
		return capability.Preview{}, err
	}
	o, paths, err := h.order(call.Turn, in)
	if err != nil {
		return capability.Preview{}, err
	}
	p := capability.Preview{
		Question: "Have a picture made?",
		Summary:  m.Title() + " · " + webapi.Brief(o.Prompt),
		URL:      m.Address(),
		Warnings: []string{"It costs money at " + m.Title() + "."},
	}
	if len(paths) > 0 {
		p.Question = "Have a picture changed?"
		p.Warnings = append(p.Warnings, "The picture is sent to "+m.Title()+".")
	}
	for _, path := range paths {
		p.Paths = append(p.Paths, capability.PathUse{Path: path})
	}
	return p, nil
}

func (h *Host) generate(ctx context.Context, call capability.Call, in generateIn) (capability.Result, error) {
	m, err := h.maker()
	if err != nil {
		return capability.Result{}, err
	}
	o, _, err := h.order(call.Turn, in)
	if err != nil {
		return capability.Result{}, err
	}
	call.Progress("Waiting for " + m.Title())
	made, err := m.Make(ctx, o)
	if err != nil {
		return capability.Result{}, serviceFailure(ctx, err)
	}
	path, err := h.Save(ctx, call, "picture."+strings.TrimPrefix(made.MIME, "image/"), made.Data)
	if err != nil {
		return capability.Result{}, fmt.Errorf("media: keeping a picture: %w", err)
	}
	shown, err := picture.Fit(made.Data, picture.Limits{})
	if err != nil {
		return capability.Result{}, failed.Becausef("the picture that %s made cannot be shown: %v; it lies at %s", m.Title(), err, path)
	}
	out := generateOut{Path: path, MIME: made.MIME, Service: m.Title(), Model: o.Model, Revised: made.Revised}
	if out.Model == "" {
		out.Model = m.Model()
	}
	return result(in, out, shown, len(made.Data))
}

func result(in generateIn, out generateOut, shown *picture.Picture, size int) (capability.Result, error) {
	data, err := json.Marshal(out)
	if err != nil {
		return capability.Result{}, fmt.Errorf("media: marshalling: %w", err)
	}
	r := capability.Result{
		Text:    fmt.Sprintf("%s made the picture with %s: %s, %s. It is saved as %s", out.Service, out.Model, shown, humanize.Bytes(uint64(size)), out.Path),
		Data:    data,
		Summary: fmt.Sprintf("%s, %d×%d", shown.Kind, shown.WasW, shown.WasH),
		Files:   []string{out.Path},
	}
	if in.Delivery != deliverFile {
		r.Images = []capability.Image{{MIME: shown.MIME, Data: shown.Data}}
	}
	return r, nil
}

// serviceFailure is a service's failure for the one who asked.
func serviceFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f, ok := errors.AsType[*imagegen.Error](err)
	if !ok {
		return failed.Becausef("%v", err)
	}
	kind := failed
	switch f.Kind {
	case webapi.KindRequest:
		kind = refused
	case webapi.KindKey, webapi.KindSetup:
		kind = notSetUp
	case webapi.KindRate, webapi.KindQuota, webapi.KindDown, webapi.KindAnswer:
	}
	u := kind.Becausef("%s: %s", f.Service, f.Message)
	if f.Try != "" {
		u = u.Trying(f.Try)
	}
	return u
}
