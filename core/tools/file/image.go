package file

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif" // so that sizes can be told
	_ "image/jpeg"
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"strings"

	_ "golang.org/x/image/webp"

	"github.com/hobkin/hobkin/core/capability"
)

// imageType tells a picture by its first bytes; empty when it is none that a
// model can be shown.
func imageType(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

func (h *Host) readImage(s *spot, f *os.File, info fs.FileInfo, mime string) (capability.Result, error) {
	most := h.limits().Image
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return capability.Result{}, explain(s.Abs, err)
	case int64(len(data)) > most:
		return capability.Result{}, tooBig.Becausef("the picture %s has %s, the most is %s", s.Abs, size(info.Size()), size(most)).
			Trying("ask for a smaller copy, or make one with a program for pictures")
	}
	kind := strings.ToUpper(strings.TrimPrefix(mime, "image/"))
	if cfg, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		kind += fmt.Sprintf(", %d×%d", cfg.Width, cfg.Height)
	}
	return capability.Result{
		Text:    fmt.Sprintf("Picture: %s, %s.", kind, size(int64(len(data)))),
		Summary: kind,
		Images:  []capability.Image{{MIME: mime, Data: data}},
	}, nil
}
