package config

// Memory says what the agent remembers beyond a conversation.
type Memory struct {
	Enabled     bool `toml:"enabled" comment:"Remember things between conversations, and look them up. Off, nothing is remembered or recalled; what is there stays."`
	UserBytes   int  `toml:"user_bytes" min:"0" max:"65536" comment:"Bytes of what is known of you that every conversation begins with; 0 is none."`
	MemoryBytes int  `toml:"memory_bytes" min:"0" max:"65536" comment:"Bytes of what is known of your work and your standing orders that every conversation begins with; 0 is none."`
	Review      bool `toml:"review" comment:"Once a day at most, have the background model propose what to remember, to replace or to forget. Everything it proposes waits for you. Needs a model and the desktop."`
}

func defaultMemory() Memory {
	return Memory{Enabled: true, UserBytes: 4096, MemoryBytes: 8192, Review: true}
}
