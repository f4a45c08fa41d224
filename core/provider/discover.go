package provider

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// DiscoverTime is how long [Discover] looks.
const DiscoverTime = 300 * time.Millisecond

// A Local is a model server that runs on this machine.
type Local struct {
	Kind    string   // for [Spec].Kind: ollama, lmstudio or llamacpp
	Title   string   // for people
	BaseURL string   // for [Spec].BaseURL
	Models  []string // that can chat, in the server's order, at least one
}

// A Place is where a local server may be.
type Place struct {
	Kind    string
	Title   string
	BaseURL string // of its Chat Completions interface
	List    string // URL of its list of models
}

// Places are where the local servers usually are.
func Places() []Place {
	return []Place{
		{"ollama", "Ollama", kinds["ollama"].base, "http://127.0.0.1:11434/api/tags"},
		{"lmstudio", "LM Studio", kinds["lmstudio"].base, "http://127.0.0.1:1234/v1/models"},
		{"llamacpp", "llama.cpp", kinds["llamacpp"].base, "http://127.0.0.1:8080/v1/models"},
	}
}

// Discover finds the model servers on this machine, at [Places] or at those
// that are given. It asks all at once and takes at most [DiscoverTime].
func Discover(ctx context.Context, places ...Place) []Local {
	if len(places) == 0 {
		places = Places()
	}
	ctx, cancel := context.WithTimeout(ctx, DiscoverTime)
	defer cancel()
	// No proxy and no connection kept: these are one question each, to loopback.
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	found := make([][]string, len(places))
	var wg sync.WaitGroup
	for i, p := range places {
		wg.Go(func() { found[i] = listModels(ctx, client, p.List) })
	}
	wg.Wait()
	var out []Local
	for i, p := range places {
		if len(found[i]) > 0 {
			out = append(out, Local{p.Kind, p.Title, p.BaseURL, found[i]})
		}
	}
	return out
}

// listModels asks a server for its models; nothing where there is none.
func listModels(ctx context.Context, client *http.Client, url string) []string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil
	}
	return modelNames(body)
}

// modelNames reads a list of models as Ollama or as OpenAI writes it. Models
// that only embed cannot chat and are left out.
func modelNames(body []byte) []string {
	var list struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil {
		return nil
	}
	var names []string
	for _, m := range list.Data { // llama.cpp writes both, and this is the id to ask for
		names = append(names, m.ID)
	}
	if len(names) == 0 {
		for _, m := range list.Models {
			names = append(names, m.Name)
		}
	}
	chat := names[:0]
	for _, n := range names {
		if n != "" && !strings.Contains(strings.ToLower(n), "embed") {
			chat = append(chat, n)
		}
	}
	return chat
}
