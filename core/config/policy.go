package config

import "time"

// Policy switches and tunes the built-ins that act on calls and results.
type Policy struct {
	Compaction   Compaction   `toml:"compaction" comment:"A conversation that nearly fills the model's window is shortened for the model. What is stored stays whole."`
	Loops        Loops        `toml:"loop_detection" comment:"Calls that repeat themselves with the same results."`
	Progress     Progress     `toml:"progress_guard" comment:"The model is told when it only looks and changes nothing, looks at the same thing again, or waits much."`
	Repair       Repair       `toml:"tool_call_repair" comment:"Broken arguments of calls. What can be mended without the model always is."`
	Instructions Instructions `toml:"agent_instructions" comment:"AGENTS.md and CLAUDE.md of the workspace in the prompt."`
	CurrentTime  CurrentTime  `toml:"current_time" comment:"The date in the prompt."`
	Distillation Distillation `toml:"distillation" comment:"Long results of tools that are not commands are shortened by rules once the original is saved."`
	Canary       Canary       `toml:"canary" comment:"A private marker in the prompt of every session. Where it appears in a call or an answer, the prompt is leaking: the call is blocked, the text replaced."`
	Errors       Errors       `toml:"errors" comment:"What the model and you are told of failures."`
	Review       Review       `toml:"review" comment:"The second look of models.reviewer before risky calls."`
}

// Compaction says when conversations are shortened.
type Compaction struct {
	Enabled bool `toml:"enabled" comment:"Shorten on its own. Without it only /compact does, and a conversation that a model refuses for its length."`
	At      int  `toml:"at_percent" min:"30" max:"95" comment:"Percent of the window above which it is shortened."`
	To      int  `toml:"to_percent" min:"10" max:"85" comment:"Percent of the window that it is shortened to; at least 10 less."`
}

// Loops says when a turn goes in circles.
type Loops struct {
	Enabled bool `toml:"enabled" comment:"Warn the model and end the turn."`
	Warn    int  `toml:"warn" min:"2" max:"50" comment:"Equal calls at which the model is told. Of changes that failed two are enough."`
	Stop    int  `toml:"stop" min:"3" max:"100" comment:"Equal calls that end the turn; more than warn."`
}

// Progress says when a turn gets nowhere.
type Progress struct {
	Enabled bool `toml:"enabled" comment:"Tell the model."`
	Looks   int  `toml:"looks" min:"5" max:"500" comment:"Looks in a row after which it is told; after twice as many it is asked for an account of the work."`
}

// Repair says how broken arguments are mended.
type Repair struct {
	AskAgain bool `toml:"ask_again" comment:"Ask the model once more for arguments that cannot be mended here."`
}

// Instructions are the files of a workspace that tell agents how to work in it.
type Instructions struct {
	Enabled bool `toml:"enabled" comment:"Read them."`
}

// CurrentTime is the date that the model is told.
type CurrentTime struct {
	Enabled bool `toml:"enabled" comment:"Tell the date. The time of day is never in the prompt, so that it can be cached."`
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
		Compaction:   Compaction{Enabled: true, At: 85, To: 50},
		Loops:        Loops{Enabled: true, Warn: 3, Stop: 5},
		Progress:     Progress{Enabled: true, Looks: 24},
		Repair:       Repair{AskAgain: true},
		Instructions: Instructions{Enabled: true},
		CurrentTime:  CurrentTime{Enabled: true},
		Distillation: Distillation{Enabled: true, FromBytes: 8 << 10, ToBytes: 1 << 20},
		Canary:       Canary{Enabled: true},
		Errors:       Errors{Disclosure: "standard"},
		Review:       Review{Timeout: Duration(10 * time.Second)},
	}
}

// checkPolicy looks for numbers that make no sense together.
func checkPolicy(d *document, c *Config) (out []Problem) {
	wrong := func(table, key, other, format string, args ...any) {
		e, ok := d.find([]string{"policy", table, key})
		if !ok { // then the other is what was set
			e, _ = d.find([]string{"policy", table, other})
		}
		out = append(out, d.problemAt(e, "", format, args...))
	}
	p := c.Policy
	if p.Compaction.To > p.Compaction.At-10 {
		wrong("compaction", "to_percent", "at_percent", "policy.compaction.to_percent (%d) must be at least 10 less than at_percent (%d)", p.Compaction.To, p.Compaction.At)
	}
	if p.Loops.Stop <= p.Loops.Warn {
		wrong("loop_detection", "stop", "warn", "policy.loop_detection.stop (%d) must be more than warn (%d)", p.Loops.Stop, p.Loops.Warn)
	}
	if p.Distillation.ToBytes < p.Distillation.FromBytes {
		wrong("distillation", "to_bytes", "from_bytes", "policy.distillation.to_bytes (%d) must not be less than from_bytes (%d)", p.Distillation.ToBytes, p.Distillation.FromBytes)
	}
	return out
}
