package imports

// plain takes comments and trailing commas out of JSON, in place of which it
// puts spaces: what is wrong later is still found where it was.
func plain(text []byte) []byte {
	out := make([]byte, len(text))
	copy(out, text)
	comma := -1 // the last one, while only blanks have come since
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			i = stringEnd(out, i)
			comma = -1
			continue
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blank(out, i)
			continue
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma] = ' '
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
		i++
	}
	return out
}

// stringEnd is behind the string that begins at i.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// blank blanks the comment at i and returns what is behind it.
func blank(text []byte, i int) int {
	block := text[i+1] == '*'
	for start := i; i < len(text); i++ {
		switch {
		case !block && text[i] == '\n':
			return i
		case block && i > start+2 && text[i] == '/' && text[i-1] == '*':
			text[i-1], text[i] = ' ', ' '
			return i + 1
		case text[i] != '\n' && (!block || text[i] != '*'):
			text[i] = ' '
		case block && text[i] == '*' && (i+1 >= len(text) || text[i+1] != '/'):
			text[i] = ' '
		}
	}
	return len(text)
}
