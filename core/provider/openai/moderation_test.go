package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/hobkin/hobkin/core/provider"
)

func key(context.Context) (string, error) { return "k", nil }

func TestModerate(t *testing.T) {
	for name, tt := range map[string]struct {
		status     int
		answer     string
		flagged    bool
		categories []string
		kind       provider.Kind // of the failure
	}{
		"clean":         {200, `{"id":"m","model":"x","results":[{"flagged":false,"categories":{"hate":false},"category_scores":{"hate":0.1}}]}`, false, nil, ""},
		"flagged":       {200, `{"results":[{"flagged":true,"categories":{"violence":true,"hate":true,"self-harm":false}}]}`, true, []string{"hate", "violence"}, ""},
		"several":       {200, `{"results":[{"flagged":false,"categories":{}},{"flagged":true,"categories":{"hate":true}}]}`, true, []string{"hate"}, ""},
		"no results":    {200, `{"results":[]}`, false, nil, provider.KindResponse},
		"another shape": {200, `[1]`, false, nil, provider.KindResponse},
		"no JSON":       {200, `<html>`, false, nil, provider.KindResponse},
		"a wrong key":   {401, `{"error":{"message":"bad key"}}`, false, nil, provider.KindAuth},
		"overloaded":    {503, `{}`, false, nil, provider.KindOverloaded},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var got moderationRequest
				if err := json.Unmarshal(body, &got); err != nil || got != (moderationRequest{ModerationModel, "a text"}) || r.URL.Path != "/v1/moderations" || r.Header.Get("Authorization") != "Bearer k" {
					t.Errorf("asked %s %s with %v", r.URL.Path, body, r.Header)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.answer)
			}))
			defer server.Close()
			s, _, err := provider.Spec{Name: "o", Kind: "openai", BaseURL: server.URL + "/v1", Model: ModerationModel, Key: key}.Resolve()
			if err != nil {
				t.Fatal(err)
			}
			flagged, categories, err := NewModeration(s, provider.Options{}).Moderate(t.Context(), "a text")
			failed, _ := errors.AsType[*provider.Error](err)
			if flagged != tt.flagged || !slices.Equal(categories, tt.categories) || (tt.kind == "") != (err == nil) || failed != nil && failed.Kind != tt.kind {
				t.Errorf("got %v, %v, %v", flagged, categories, err)
			}
		})
	}
}
