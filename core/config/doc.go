// Package config holds the owner's settings: what they are, where they stand,
// how they are read, changed and watched.
//
// The settings are one TOML file that people and the program both write. So
// three things are promised. A file that is wrong is refused as a whole, every
// fault with its line, column and the nearest known key, and whoever had a
// config goes on with it ([Load], [Watch]). An edit by the program changes the
// text of one value and nothing else: comments, order and spacing stay, and the
// outcome is parsed and compared before it is written ([File.Set]). And secrets
// never stand in it, only references such as keyring:openai.
//
// The struct tags of [Config] are the one description of a setting: its key,
// its comment, what it may be. The default file, [Keys] and the checks are made
// from them.
//
// The package also knows where everything lives on a user's machine ([Paths]).
package config
