// Package anthropic speaks the Messages format of Anthropic: thinking with its
// signature goes back unchanged, tool results carry pictures, and the stable
// beginning of a conversation is marked for the provider's cache.
package anthropic
