package imports

import (
	"strings"

	"github.com/hobkin/hobkin/core/lazy"
)

// A Value is what a value of another program's settings is to us.
type Value struct {
	Text     string // as it stands
	Variable string // it is taken from this variable of the environment instead
	Asked    bool   // the other program asks for it, so that it is not known here
	Secret   bool   // it must not stand in a settings file
}

var (
	reference = lazy.Regexp(`^\$\{(env:)?([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}$`)
	input     = lazy.Regexp(`^\$\{input:[^}]*\}$`)
	telling   = lazy.Regexp(`(?i)(key|token|secret|passw|pwd|credential|auth|cookie|session|private|dsn|connection_?string|database_?url)`)
)

// Judge tells what a value is by its name and by its looks. Looks may be nil; it
// reports whether a text has the shape of a known kind of secret.
func Judge(name, text string, looks func(string) bool) Value {
	v := Value{Text: text}
	if m := reference().FindStringSubmatch(text); m != nil {
		v.Text, v.Variable = "", m[2]
		return v
	}
	if input().MatchString(text) {
		v.Text, v.Asked, v.Secret = "", true, true
		return v
	}
	plainly := text == "" || len(text) < 6 || strings.EqualFold(text, "true") || strings.EqualFold(text, "false") || isPath(text)
	v.Secret = !plainly && telling().MatchString(name) || looks != nil && looks(text)
	return v
}

// isPath reports whether text is the path of a file: of a key, not a key.
func isPath(text string) bool {
	return strings.HasPrefix(text, "/") && !strings.ContainsAny(text, "=+") || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "./")
}

// Name makes a name that is allowed for servers of ours: at most 32 letters,
// digits, - and _, beginning with a letter. It is empty when nothing is left.
func Name(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case b.Len() == 0:
		case r >= '0' && r <= '9' || r == '-' || r == '_':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	out := b.String()
	return strings.TrimRight(out[:min(len(out), 32)], "-_")
}
