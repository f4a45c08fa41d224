// Package assets holds the files that are built into the programs: prompts,
// icons, pages. Each kind has a file of its own. It imports nothing of ours.
package assets
