package imagegen

import "github.com/hobkin/hobkin/core/webapi"

// xAI's images interface: like OpenAI's, but changes are sent as JSON and the
// size is a proportion: https://docs.x.ai/docs/guides/image-generations
var xai = spec{
	name: "xai", title: "xAI", base: "https://api.x.ai/v1", site: "https://console.x.ai/", model: "grok-imagine-image",
	edits: true, auth: webapi.Bearer, parse: parseImages,
	request: func(o Order) (webapi.Request, error) {
		body := map[string]any{"model": o.Model, "prompt": o.Prompt, "n": 1, "response_format": "b64_json"}
		if o.Image != nil { // the shape is that of the picture
			body["image"] = map[string]any{"type": "image_url", "url": dataURL(o.Image)}
			return webapi.Request{Path: "/images/edits", Body: body}, nil
		}
		if s := shape(o.Size); s != "" {
			body["aspect_ratio"] = s
		}
		return webapi.Request{Path: "/images/generations", Body: body}, nil
	},
}
