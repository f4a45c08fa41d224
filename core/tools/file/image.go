package file

import (
	"fmt"
	"io"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/picture"
)

// readImage shows a picture, made to fit what models take.
func (h *Host) readImage(f *opened) (capability.Result, error) {
	most := h.limits().Image
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return capability.Result{}, explain(f.abs, err)
	case int64(len(data)) > most:
		return capability.Result{}, tooBig.Becausef("the picture %s has %s, the most is %s", f.abs, size(f.info.Size()), size(most)).
			Trying("ask for a smaller copy, or make one with a program for pictures")
	}
	p, err := picture.Fit(data, picture.Limits{})
	if err != nil {
		return capability.Result{}, badImage.Becausef("the picture %s cannot be shown: %v", f.abs, err)
	}
	return capability.Result{
		Text:    fmt.Sprintf("Picture: %s, %s.", p, size(int64(len(data)))),
		Summary: p.String(),
		Images:  []capability.Image{{MIME: p.MIME, Data: p.Data}},
	}, nil
}
