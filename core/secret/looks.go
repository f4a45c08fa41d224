package secret

// Looks reports whether a text holds what looks like a key, a token or a
// password, by its shape alone.
func Looks(text string) bool { return (&Redactor{}).Redact(text) != text }
