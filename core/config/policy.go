package config

import "time"

// Policy switches and tunes the built-ins that act on calls and results.
type Policy struct {
	Distillation Distillation `toml:"distillation" comment:"Long results of tools that are not commands are shortened by rules once the original is saved."`
	Canary       Canary       `toml:"canary" comment:"A private marker in the prompt of every session. Where it appears in a call or an answer, the prompt is leaking: the call is blocked, the text replaced."`
	Errors       Errors       `toml:"errors" comment:"What the model and you are told of failures."`
	Review       Review       `toml:"review" comment:"The second look of models.reviewer before risky calls."`
}

// Distillation bounds which results are shortened by rules.
type Distillation struct {
	Enabled   bool `toml:"enabled" comment:"Shorten long results."`
	FromBytes int  `toml:"from_bytes" min:"1024" comment:"Bytes from which a result is shortened."`
	ToBytes   int  `toml:"to_bytes" min:"1024" comment:"A larger result is only cut to head and tail."`
}

// Canary is the marker that shows a leaking prompt.
type Canary struct {
	Enabled bool `toml:"enabled" comment:"Mark prompts and watch for the marker."`
}

// Errors says how much of a failure is told.
type Errors struct {
	Disclosure string `toml:"disclosure" enum:"standard,verbose,minimal" comment:"standard tells expected failures whole and of others an id that the log has; verbose tells also what the others say; minimal tells a failure's sort and advice only. It counts from the next start on."`
}

// Review tunes the reviewer. It is on when models.reviewer has a provider.
type Review struct {
	Timeout Duration `toml:"timeout" comment:"Time that the reviewer has; after it you are asked."`
}

func defaultPolicy() Policy {
	return Policy{
		Distillation: Distillation{Enabled: true, FromBytes: 8 << 10, ToBytes: 1 << 20},
		Canary:       Canary{Enabled: true},
		Errors:       Errors{Disclosure: "standard"},
		Review:       Review{Timeout: Duration(10 * time.Second)},
	}
}
