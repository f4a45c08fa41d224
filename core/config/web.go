package config

import "time"

// Web says how the web is read and searched.
type Web struct {
	Fetch  WebFetch  `toml:"fetch"`
	Search WebSearch `toml:"search"`
}

// WebFetch bounds the reading of pages.
type WebFetch struct {
	MaxBytes      int      `toml:"max_bytes" min:"10000" max:"50000000" comment:"Bytes of a page that are read; the rest is cut off, which is said."`
	HeaderTimeout Duration `toml:"header_timeout" comment:"Time until the answer begins."`
	Timeout       Duration `toml:"timeout" comment:"Time for a whole page, with its redirects."`
	Cache         Duration `toml:"cache" comment:"How long a page is kept for the next call, unless its server says less."`
	CacheBytes    int      `toml:"cache_bytes" min:"0" max:"1000000000" comment:"Bytes of all kept pages; the least used go first."`
}

// WebSearch says which search engine is asked.
type WebSearch struct {
	Hosted     bool         `toml:"hosted" comment:"Ask the search of the model's own provider first, where it has one: OpenAI, Anthropic and xAI. It costs what they charge for it."`
	Provider   string       `toml:"provider" enum:",brave,exa,tavily,parallel,perplexity,firecrawl,searxng,jina,duckduckgo" comment:"The engine that is asked otherwise. Empty is duckduckgo, which needs no key. When it fails duckduckgo is asked once, and the result says so."`
	Brave      SearchEngine `toml:"brave"`
	Exa        SearchEngine `toml:"exa"`
	Tavily     SearchEngine `toml:"tavily"`
	Parallel   SearchEngine `toml:"parallel"`
	Perplexity SearchEngine `toml:"perplexity"`
	Firecrawl  SearchEngine `toml:"firecrawl"`
	SearXNG    SearchEngine `toml:"searxng"`
	Jina       SearchEngine `toml:"jina"`
	DuckDuckGo SearchEngine `toml:"duckduckgo"`
}

// A SearchEngine is how one engine is reached.
type SearchEngine struct {
	Key     string `toml:"key" ref:"secret" comment:"Where its key is, never the key: keyring:NAME, env:NAME or file:/PATH. Empty is keyring: and the engine's name."`
	BaseURL string `toml:"base_url" url:"http" comment:"Address of its interface. Empty is its own; SearXNG needs one."`
}

// Engine returns the settings of an engine by its name, and whether there is
// one of that name. An empty key is where it usually lies.
func (s WebSearch) Engine(name string) (SearchEngine, bool) {
	e, ok := map[string]SearchEngine{
		"brave": s.Brave, "exa": s.Exa, "tavily": s.Tavily, "parallel": s.Parallel, "perplexity": s.Perplexity,
		"firecrawl": s.Firecrawl, "searxng": s.SearXNG, "jina": s.Jina, "duckduckgo": s.DuckDuckGo,
	}[name]
	if ok && e.Key == "" && name != "duckduckgo" && name != "searxng" {
		e.Key = "keyring:" + name
	}
	return e, ok
}

// Image says which service makes pictures.
type Image struct {
	Kind    string `toml:"kind" enum:",openai,xai,google" comment:"The service. openai is also every server that is compatible with it, at base_url. Empty makes no pictures; none stands in for another."`
	Model   string `toml:"model" comment:"The service's own name of the model. Empty is its usual one."`
	Key     string `toml:"key" ref:"secret" comment:"Where the key is, never the key: keyring:NAME, env:NAME or file:/PATH. Empty is keyring: and the service's name, or no key with a base_url."`
	BaseURL string `toml:"base_url" url:"http" comment:"Address of the interface. Empty is the service's own."`
}

func defaultWeb() Web {
	return Web{
		Fetch: WebFetch{
			MaxBytes: 5_000_000, HeaderTimeout: Duration(15 * time.Second), Timeout: Duration(30 * time.Second),
			Cache: Duration(15 * time.Minute), CacheBytes: 32_000_000,
		},
		Search: WebSearch{Hosted: true},
	}
}
