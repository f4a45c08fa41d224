package assets

import "embed"

// Languages are the sentences of the window, under lang/, a file a language.
//
//go:embed lang/*.json
var Languages embed.FS
