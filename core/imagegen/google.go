package imagegen

import (
	"encoding/json"
	"errors"
	"net/url"

	"github.com/hobkin/hobkin/core/picture"
	"github.com/hobkin/hobkin/core/webapi"
)

// Google's Gemini models that answer with pictures:
// https://ai.google.dev/gemini-api/docs/image-generation
var google = spec{
	name: "google", title: "Google", base: "https://generativelanguage.googleapis.com/v1beta", site: "https://aistudio.google.com/apikey", model: "gemini-2.5-flash-image",
	edits: true, parse: parseGoogle,
	auth: func(key string) map[string]string { return map[string]string{"x-goog-api-key": key} },
	request: func(o Order) (webapi.Request, error) {
		parts := []any{map[string]any{"text": o.Prompt}}
		if o.Image != nil {
			parts = append(parts, map[string]any{"inlineData": map[string]any{"mimeType": picture.Type(o.Image), "data": o.Image}})
		}
		settings := map[string]any{"responseModalities": []string{"TEXT", "IMAGE"}}
		if s := shape(o.Size); s != "" {
			settings["imageConfig"] = map[string]any{"aspectRatio": s}
		}
		return webapi.Request{Path: "/models/" + url.PathEscape(o.Model) + ":generateContent", Body: map[string]any{
			"contents": []any{map[string]any{"role": "user", "parts": parts}}, "generationConfig": settings,
		}}, nil
	},
}

func parseGoogle(body []byte) (made, error) {
	var r struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					Text   string `json:"text"`
					Inline struct {
						Data string `json:"data"`
					} `json:"inlineData"`
				} `json:"parts"`
			} `json:"content"`
			Finish  string `json:"finishReason"`
			Message string `json:"finishMessage"`
		} `json:"candidates"`
		Feedback struct {
			Block string `json:"blockReason"`
		} `json:"promptFeedback"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return made{}, err
	}
	if r.Feedback.Block != "" {
		return made{}, &Error{Kind: webapi.KindRequest, Message: "it declined the prompt: " + webapi.Brief(r.Feedback.Block)}
	}
	said := ""
	for _, c := range r.Candidates {
		for _, p := range c.Content.Parts {
			if p.Inline.Data != "" {
				data, err := fromBase64(p.Inline.Data)
				return made{data: data, revised: said}, err
			}
			said += p.Text
		}
		if c.Finish != "" && c.Finish != "STOP" {
			return made{}, &Error{Kind: webapi.KindRequest, Message: "it made no picture: " + webapi.Brief(c.Finish+" "+c.Message)}
		}
	}
	if said != "" {
		return made{}, &Error{Kind: webapi.KindAnswer, Message: "it answered with words instead of a picture: " + webapi.Brief(said)}
	}
	return made{}, errors.New("no picture")
}
