package outbound

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hobkin/hobkin/core/capability"
)

// pictures are the types of images that models take.
var pictures = map[string]bool{"image/png": true, "image/jpeg": true, "image/webp": true, "image/gif": true}

// A reading makes a result of the protocol into one of ours.
type reading struct {
	save  func(ctx context.Context, name string, data []byte) (string, error)
	out   capability.Result
	text  []string
	shown int // bytes of pictures
}

// Bounds of what a model is shown of one result: pictures are sent again with
// every step of the turn, and providers refuse requests of more than about 30 MB.
const (
	mostPictures = 16
	mostShown    = 10 << 20 // bytes
)

// readingFor keeps what cannot be shown under the call's name.
func readingFor(h Host, call capability.Call) *reading {
	r := &reading{}
	if h.Save != nil {
		r.save = func(ctx context.Context, name string, data []byte) (string, error) {
			return h.Save(ctx, call.Turn.Session, call.ID+"-"+name, data)
		}
	}
	return r
}

// read takes in all parts of a result. It comes from outside, all of it.
func (r *reading) read(ctx context.Context, res *mcp.CallToolResult) {
	r.out.Untrusted = true
	for i, c := range res.Content {
		r.part(ctx, i, c)
	}
	if raw := structured(res); len(raw) > 0 {
		r.out.Data = raw
		if len(r.text) == 0 {
			r.text = append(r.text, string(raw))
		}
	}
	r.out.Text = strings.Join(r.text, "\n")
}

func structured(res *mcp.CallToolResult) json.RawMessage {
	if len(res.RawStructuredContent) > 0 {
		return res.RawStructuredContent
	}
	if res.StructuredContent == nil {
		return nil
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return nil
	}
	return raw
}

func (r *reading) part(ctx context.Context, n int, c mcp.Content) {
	switch c := c.(type) {
	case mcp.TextContent:
		r.text = append(r.text, c.Text)
	case mcp.ImageContent:
		r.binary(ctx, fmt.Sprintf("image-%d", n+1), c.MIMEType, c.Data)
	case mcp.AudioContent:
		r.binary(ctx, fmt.Sprintf("audio-%d", n+1), c.MIMEType, c.Data)
	case mcp.ResourceLink:
		r.text = append(r.text, strings.TrimSpace(fmt.Sprintf("[%s](%s) %s", c.Name, c.URI, c.Description)))
	case mcp.EmbeddedResource:
		r.resource(ctx, n, c.Resource)
	default:
		r.text = append(r.text, fmt.Sprintf("(a part of the type %T, which cannot be shown)", c))
	}
}

func (r *reading) resource(ctx context.Context, n int, c mcp.ResourceContents) {
	switch c := c.(type) {
	case mcp.TextResourceContents:
		r.text = append(r.text, c.URI+":\n"+c.Text)
	case mcp.BlobResourceContents:
		r.text = append(r.text, c.URI+":")
		r.binary(ctx, fmt.Sprintf("resource-%d", n+1), c.MIMEType, c.Blob)
	}
}

// binary shows a picture, and keeps what cannot be shown as a file.
func (r *reading) binary(ctx context.Context, name, kind, encoded string) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		r.text = append(r.text, fmt.Sprintf("(%s could not be decoded: it is no base64)", name))
		return
	}
	if found := http.DetectContentType(data); pictures[found] { // what it says it is does not count
		if r.shown += len(data); len(r.out.Images) >= mostPictures || r.shown > mostShown {
			r.text = append(r.text, fmt.Sprintf("(%s, %d bytes, was left out: one result shows at most %d pictures and %d MB of them)", name, len(data), mostPictures, mostShown>>20))
			return
		}
		r.out.Images = append(r.out.Images, capability.Image{MIME: found, Data: data})
		return
	}
	if r.save == nil {
		r.text = append(r.text, fmt.Sprintf("(%s, %d bytes, cannot be kept here)", or(kind, "data"), len(data)))
		return
	}
	path, err := r.save(ctx, name+extension(kind), data)
	if err != nil {
		r.text = append(r.text, fmt.Sprintf("(%s, %d bytes, could not be saved: %v)", or(kind, "data"), len(data), err))
		return
	}
	r.out.Files = append(r.out.Files, path)
	r.text = append(r.text, fmt.Sprintf("(%s, %d bytes, saved as %s)", or(kind, "data"), len(data), path))
}

// extension is what files of a type mostly end with.
func extension(kind string) string {
	switch kind {
	case "audio/wav", "audio/x-wav":
		return ".wav"
	case "audio/mpeg", "audio/mp3":
		return ".mp3"
	}
	if known, err := mime.ExtensionsByType(kind); err == nil && len(known) > 0 {
		return known[0]
	}
	return ".bin"
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
