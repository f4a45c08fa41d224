package imagegen

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"strings"

	"github.com/hobkin/hobkin/core/picture"
	"github.com/hobkin/hobkin/core/webapi"
)

// OpenAI's images interface, which many servers copy:
// https://platform.openai.com/docs/api-reference/images
var openai = spec{
	name: "openai", title: "OpenAI", base: "https://api.openai.com/v1", site: "https://platform.openai.com/api-keys", model: "gpt-image-1",
	edits: true, masks: true, auth: webapi.Bearer, parse: parseImages,
	request: func(o Order) (webapi.Request, error) {
		if o.Image != nil {
			return openaiEdit(o)
		}
		body := map[string]any{"model": o.Model, "prompt": o.Prompt, "n": 1}
		if o.Size != SizeAuto {
			body["size"] = o.Size
		}
		return webapi.Request{Path: "/images/generations", Body: body}, nil
	},
}

// openaiEdit sends the pictures as a form.
func openaiEdit(o Order) (webapi.Request, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	fields := [][2]string{{"model", o.Model}, {"prompt", o.Prompt}, {"n", "1"}}
	if o.Size != SizeAuto {
		fields = append(fields, [2]string{"size", o.Size})
	}
	var errs []error
	for _, f := range fields {
		errs = append(errs, w.WriteField(f[0], f[1]))
	}
	errs = append(errs, addFile(w, "image", o.Image))
	if o.Mask != nil {
		errs = append(errs, addFile(w, "mask", o.Mask))
	}
	if err := errors.Join(append(errs, w.Close())...); err != nil {
		return webapi.Request{}, fmt.Errorf("imagegen: %w", err)
	}
	return webapi.Request{Path: "/images/edits", Body: webapi.Raw{ContentType: w.FormDataContentType(), Data: b.Bytes()}}, nil
}

func addFile(w *multipart.Writer, name string, data []byte) error {
	mime := picture.Type(data)
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="%s"; filename="%s.%s"`, name, name, strings.TrimPrefix(mime, "image/"))},
		"Content-Type":        {mime},
	})
	if err == nil {
		_, err = part.Write(data)
	}
	return err
}

// parseImages reads the answer: the picture itself, or where it is.
func parseImages(body []byte) (made, error) {
	var r struct {
		Data []struct {
			B64     string `json:"b64_json"`
			URL     string `json:"url"`
			Revised string `json:"revised_prompt"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return made{}, err
	}
	if len(r.Data) == 0 || r.Data[0].B64 == "" && r.Data[0].URL == "" {
		return made{}, errors.New("no picture")
	}
	d := r.Data[0]
	if d.B64 == "" {
		return made{link: d.URL, revised: d.Revised}, nil
	}
	data, err := fromBase64(d.B64)
	return made{data: data, revised: d.Revised}, err
}

// fromBase64 also takes a data URL, which some servers send.
func fromBase64(s string) ([]byte, error) {
	if _, rest, ok := strings.Cut(s, ";base64,"); ok {
		s = rest
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(data) == 0 {
		return nil, errors.New("no base64")
	}
	return data, nil
}

// dataURL is a picture as an address.
func dataURL(data []byte) string {
	return "data:" + picture.Type(data) + ";base64," + base64.StdEncoding.EncodeToString(data)
}
