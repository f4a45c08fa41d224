package media

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/picture"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:  "view_image",
		Title: "Look at pictures",
		Description: "Shows one to six pictures at once: PNG, JPEG, GIF, WebP or BMP, told by their contents. " +
			"Large ones are scaled down to what can be seen.",
		Class:     capability.ReadOnly,
		Category:  capability.CategoryMedia,
		OwnerData: true,
		Hints:     capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "to look at pictures, above all several beside each other; file_read shows a single one too",
			Examples: []capability.Example{
				{When: "the user asks what is on a picture", In: viewIn{Paths: []string{"holiday/beach.jpg"}}},
				{When: "two are to be compared", In: viewIn{Paths: []string{"before.png", "after.png"}}},
			},
			Fails: reading(),
		},
	}, (*Host).view)
}

type viewIn struct {
	Paths []string `json:"paths" min:"1" max:"6" jsonschema:"the pictures: absolute, relative to the workspace, or starting with ~"`
}

// view shows what can be shown; it fails when that is nothing.
func (h *Host) view(ctx context.Context, call capability.Call, in viewIn) (capability.Result, error) {
	var out capability.Result
	var first error
	var b strings.Builder
	for i, path := range in.Paths {
		if err := ctx.Err(); err != nil {
			return capability.Result{}, err
		}
		p, abs, size, err := h.picture(call.Turn, path)
		if err != nil {
			u, ok := capability.AsUserError(err)
			if !ok {
				return capability.Result{}, err
			}
			if first == nil {
				first = err
			}
			fmt.Fprintf(&b, "%d. %s: not shown (%s): %s\n", i+1, path, u.Code, u.Message)
			continue
		}
		fmt.Fprintf(&b, "%d. %s: %s, %s\n", i+1, abs, p, humanize.Bytes(uint64(size)))
		out.Images = append(out.Images, capability.Image{MIME: p.MIME, Data: p.Data})
	}
	if len(out.Images) == 0 {
		return capability.Result{}, first
	}
	out.Text, out.Summary = b.String(), fmt.Sprintf("%d of %d shown", len(out.Images), len(in.Paths))
	return out, nil
}

// picture reads one and makes it fit.
func (h *Host) picture(turn capability.Turn, path string) (p *picture.Picture, abs string, size int, err error) {
	data, abs, err := h.Files.ReadWhole(turn, path, mostBytes)
	if err != nil {
		return nil, "", 0, err
	}
	if p, err = picture.Fit(data, picture.Limits{}); err != nil {
		return nil, "", 0, notPicture.Becausef("%s cannot be shown: %v", abs, err)
	}
	return p, abs, len(data), nil
}
