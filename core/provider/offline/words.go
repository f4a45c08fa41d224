package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is a piece of a message: what stands between blanks, or in quotes.
type word struct {
	text     string // as written, without quotes
	low      string // in lower case, without the signs around it, for comparing
	quoted   bool
	from, to int // in the message, quotes included
}

// A message is what a person said, in words.
type message struct {
	src   string
	words []word
}

// quotes are the pairs that people put around names and texts, the longest
// first.
var quotes = []struct{ open, close string }{
	{"```", "```"}, {`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"„", "“"}, {"„", "”"}, {"‚", "‘"}, {"«", "»"}, {"»", "«"}, {"「", "」"},
}

// split takes a message apart.
func split(src string) message {
	m := message{src: src}
	for i := 0; i < len(src); {
		c, n := utf8.DecodeRuneInString(src[i:])
		if unicode.IsSpace(c) {
			i += n
			continue
		}
		w, ok := quotedAt(src, i)
		if !ok {
			w = plainAt(src, i)
		}
		m.words = append(m.words, w)
		i = w.to
		for w.quoted && i < len(src) && strings.IndexByte(",.;:!?)", src[i]) >= 0 {
			i++ // the sentence's own
		}
	}
	return m
}

// quotedAt reads a text in quotes. The closing quote must end a word, so that
// an apostrophe is none.
func quotedAt(src string, i int) (word, bool) {
	for _, q := range quotes {
		if !strings.HasPrefix(src[i:], q.open) {
			continue
		}
		start := i + len(q.open)
		for at := start; at < len(src); {
			n := strings.Index(src[at:], q.close)
			if n < 0 {
				break
			}
			end := at + n
			at = end + len(q.close)
			if end > start && endsWord(src[at:]) || end == start && endsWord(src[at:]) && q.open != "```" {
				return word{text: inside(src[start:end], q.open), quoted: true, from: i, to: at}, true
			}
		}
	}
	return word{}, false
}

// endsWord reports whether a word can end before rest.
func endsWord(rest string) bool {
	c, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(c) || strings.ContainsRune(",.;:!?)", c)
}

// inside is what stands in quotes; of a fence, without the line that names the
// language.
func inside(text, open string) string {
	if open != "```" {
		return text
	}
	if first, rest, ok := strings.Cut(text, "\n"); ok && !strings.ContainsAny(strings.TrimSpace(first), " \t") {
		text = rest
	}
	return text
}

// plainAt reads up to the next blank.
func plainAt(src string, i int) word {
	end := strings.IndexFunc(src[i:], unicode.IsSpace)
	if end < 0 {
		end = len(src) - i
	}
	text := src[i : i+end]
	low := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	return word{text: text, low: strings.Trim(low, ",;:!?.()"), from: i, to: i + end}
}

// value is what a single word stands for: a path, a name, a number.
func (m message) value(i int) string {
	w := m.words[i]
	if w.quoted {
		return w.text
	}
	return m.trimEnd(w.text, i)
}

// trimEnd takes the signs of the sentence off a word: not off one that is made
// of them, such as .. or ?.
func (m message) trimEnd(text string, i int) string {
	cut := strings.TrimRight(text, ",;!?")
	if i == len(m.words)-1 || cut != text {
		cut = strings.TrimRight(cut, ".,;!?:")
	}
	if cut == "" {
		return text
	}
	return cut
}

// span is what the words from i up to j say, as it was written.
func (m message) span(i, j int) string {
	if j-i == 1 {
		return m.value(i)
	}
	text := m.src[m.words[i].from:m.words[j-1].to]
	if j == len(m.words) && !m.words[j-1].quoted {
		text = strings.TrimRight(text, ".!?")
	}
	return strings.TrimSpace(strings.TrimRight(text, ",;"))
}

// written is what the words from i up to j say, with every sign; one text in
// quotes comes without them.
func (m message) written(i, j int) string {
	if j-i == 1 {
		return m.words[i].text
	}
	return m.src[m.words[i].from:m.words[j-1].to]
}

// before and after are what people say around a request.
var (
	before = wordLists("please", "kindly", "can you", "could you", "would you", "will you", "can i", "i want you to", "i want to", "i'd like you to",
		"i'd like to", "i would like to", "i need you to", "i need to", "let's", "lets", "hey", "hi", "hello", "hobkin", "ok", "okay", "so", "now", "just",
		"then", "and", "also", "go ahead and", "quickly", "bitte", "kannst du", "könntest du", "würdest du", "mal", "hallo", "und", "dann", "jetzt")
	after = wordLists("please", "for me", "now", "thanks", "thank you", "right now", "bitte", "danke", "for a moment", "again", "hobkin")
)

func wordLists(texts ...string) [][]string {
	out := make([][]string, len(texts))
	for i, t := range texts {
		out[i] = strings.Fields(t)
	}
	return out
}

// plain takes the polite words off both ends. Something is always left.
func (m message) plain() message {
	for again := true; again; {
		again = false
		for _, list := range before {
			if len(m.words) > len(list) && startsWith(m.words, list) {
				m.words, again = m.words[len(list):], true
			}
		}
		for _, list := range after {
			if n := len(m.words) - len(list); n > 0 && startsWith(m.words[n:], list) {
				m.words, again = m.words[:n:n], true
				m.dropComma()
			}
		}
	}
	return m
}

// dropComma takes the comma off the last word, which stood before a polite one.
func (m *message) dropComma() {
	last := m.words[len(m.words)-1]
	if cut := strings.TrimRight(last.text, ","); !last.quoted && cut != "" && cut != last.text {
		last.to -= len(last.text) - len(cut)
		last.text = cut
		m.words = append(m.words[:len(m.words)-1:len(m.words)-1], last)
	}
}

func startsWith(words []word, list []string) bool {
	if len(words) < len(list) {
		return false
	}
	for i, s := range list {
		if words[i].quoted || words[i].low != s {
			return false
		}
	}
	return true
}

// pathLike reports whether a word looks like a path rather than a thing.
func pathLike(s string) bool {
	if s == "" || strings.ContainsAny(s, "\n") {
		return false
	}
	if strings.ContainsAny(s, `/\`) || s[0] == '~' || s[0] == '.' || extension(s) != "" {
		return true
	}
	return slices.Contains([]string{"makefile", "readme", "license", "dockerfile", "changelog", "authors", "contributing", "justfile", "procfile"}, strings.ToLower(s))
}

// extension is the end of a file's name, without the dot; empty when it has
// none.
func extension(s string) string {
	name := s[strings.LastIndexAny(s, `/\`)+1:]
	i := strings.LastIndexByte(name, '.')
	if i < 0 || i == len(name)-1 || len(name)-i > 9 {
		return ""
	}
	ext := name[i+1:]
	for _, c := range ext {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return ""
		}
	}
	return ext
}

// domains are the ends of addresses that are not also ends of files.
var domains = strings.Fields("com org net edu gov mil int io dev info biz app cloud wiki blog shop online site tech de at ch uk fr it es nl be eu se no dk fi pt gr ie cz jp cn kr in br mx us ca au nz ai co me tv")

// address makes what a person calls a page an address. A bare name counts only
// when its end cannot be a file's.
func address(s string) (string, bool) {
	low := strings.ToLower(s)
	if strings.ContainsAny(s, " \t\n") {
		return "", false
	}
	if rest, ok := strings.CutPrefix(low, "http://"); ok && rest != "" {
		return s, true
	}
	if rest, ok := strings.CutPrefix(low, "https://"); ok && rest != "" {
		return s, true
	}
	host, _, _ := strings.Cut(low, "/")
	host, _, _ = strings.Cut(host, ":")
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if l == "" || strings.ContainsFunc(l, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' }) {
			return "", false
		}
	}
	if len(labels) < 2 || !slices.Contains(domains, labels[len(labels)-1]) && labels[0] != "www" {
		return "", false
	}
	return "https://" + s, true
}
