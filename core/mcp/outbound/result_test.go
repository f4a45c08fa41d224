package outbound

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// A server cannot fill a conversation with pictures.
func TestPicturesAreBounded(t *testing.T) {
	picture := func(bytes int) mcp.Content {
		return mcp.ImageContent{Type: "image", MIMEType: "image/png", Data: base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, bytes)...))}
	}
	for _, test := range []struct{ pictures, bytes, shown int }{{3, 1000, 3}, {100, 1000, mostPictures}, {5, 3 << 20, 3}, {2, mostShown + 1, 0}} {
		res := &mcp.CallToolResult{}
		for range test.pictures {
			res.Content = append(res.Content, picture(test.bytes))
		}
		r := &reading{}
		r.read(t.Context(), res)
		if len(r.out.Images) != test.shown || strings.Count(r.out.Text, "was left out") != test.pictures-test.shown {
			t.Errorf("%+v: %d pictures, and %.200q", test, len(r.out.Images), r.out.Text)
		}
	}
}
