package assets

import "embed"

// Prompts are the texts that the system prompt is made of, under prompts/.
//
//go:embed prompts/*.md
var Prompts embed.FS
