package chat

import (
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/ui/say"
)

// maxImage bounds a picture that is sent along, in bytes; mostImages how many.
const (
	maxImage   = 10 << 20
	mostImages = 4
)

// LoadImage reads a picture file to be sent along.
func LoadImage(path string) (Attached, error) {
	name := filepath.Base(path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Attached{}, say.Err("{{.Name}} cannot be read", "Name", name)
	case info.Mode().Type() != fs.FileMode(0):
		return Attached{}, say.Err("{{.Name}} is not a file", "Name", name)
	case info.Size() > maxImage:
		return Attached{}, say.Err("{{.Name}} is larger than {{.N}} MB", "Name", name, "N", maxImage>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return Attached{}, say.Err("{{.Name}} cannot be read", "Name", name)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxImage))
	if err != nil {
		return Attached{}, say.Err("{{.Name}} cannot be read", "Name", name)
	}
	switch mime := http.DetectContentType(data); mime {
	case "image/png", "image/jpeg", "image/webp", "image/gif":
		return Attached{name, provider.Image{MIME: mime, Data: data}}, nil
	}
	return Attached{}, say.Err("Only PNG, JPEG, WebP and GIF pictures can be sent along")
}

// Attach takes in a picture, or says why not.
func (w *Window) Attach(a Attached, err error) {
	switch {
	case err != nil:
		w.Fail(err)
	case len(w.Images) >= mostImages:
		w.Fail(say.Err("At most {{.N}} pictures can be sent along", "N", mostImages))
	default:
		w.Images = append(w.Images, a)
		w.Dismiss()
	}
}

// Detach takes a picture out again.
func (w *Window) Detach(i int) {
	if i < len(w.Images) {
		w.Images = append(w.Images[:i:i], w.Images[i+1:]...)
	}
}

// PastedFiles are the files that a pasted text names: a list of addresses or
// absolute paths, as file managers copy them. It is nil when any line is not one.
func PastedFiles(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line == "copy" || strings.HasPrefix(line, "x-special/") {
			continue
		}
		path := line
		if rest, ok := strings.CutPrefix(line, "file://"); ok {
			plain, err := url.PathUnescape(rest)
			if err != nil {
				return nil
			}
			path = plain
		}
		if !filepath.IsAbs(path) {
			return nil
		}
		out = append(out, path)
	}
	return out
}

// LooksLikeImage reports whether a file is a picture by its name.
func LooksLikeImage(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".webp", ".gif":
		return true
	}
	return false
}
