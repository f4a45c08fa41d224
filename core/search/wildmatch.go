package search

// A wild is a pattern of an ignore file, made ready. It matches bytes, as git
// does, and takes time in proportion to pattern times text, whatever the
// pattern.
type wild struct {
	tokens []token
	never  bool // malformed: git lets it match nothing
	fold   bool
}

type token struct {
	kind tokenKind
	set  [256 / 64]uint64 // one: what it matches
}

type tokenKind uint8

const (
	one     tokenKind = iota // one byte of set
	star                     // any bytes but /
	all                      // any bytes
	dirs                     // nothing, or any bytes that end in /
	dirsEnd                  // the second place of dirs: inside it
)

func (t *token) add(b byte)      { t.set[b/64] |= 1 << (b % 64) }
func (t *token) drop(b byte)     { t.set[b/64] &^= 1 << (b % 64) }
func (t *token) has(b byte) bool { return t.set[b/64]&(1<<(b%64)) != 0 }

// compileWild reads a pattern. With pathname, * and ? stop at / and ** has its
// meaning; without, * crosses /.
func compileWild(pattern string, pathname, fold bool) *wild {
	c := wildCompiler{src: pattern, pathname: pathname, fold: fold}
	for c.at < len(c.src) && !c.out.never {
		c.next()
	}
	c.out.fold = fold
	return &c.out
}

type wildCompiler struct {
	src      string
	at       int
	pathname bool
	fold     bool
	out      wild
}

func (c *wildCompiler) next() {
	b := c.src[c.at]
	c.at++
	switch b {
	case '*':
		c.stars()
	case '?':
		c.put(token{set: [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}})
	case '[':
		c.class()
	case '\\':
		if c.at == len(c.src) {
			c.out.never = true
			return
		}
		c.literal(c.src[c.at])
		c.at++
	default:
		c.literal(b)
	}
}

// put adds a token for one byte; one that is no literal never matches /.
func (c *wildCompiler) put(t token) {
	if c.pathname {
		t.drop('/')
	}
	c.out.tokens = append(c.out.tokens, t)
}

func (c *wildCompiler) literal(b byte) {
	var t token
	t.add(b)
	if c.fold {
		t.add(lower(b))
		t.add(upper(b))
	}
	c.out.tokens = append(c.out.tokens, t)
}

// stars reads one or more stars, of which the first is read already.
func (c *wildCompiler) stars() {
	first := c.at - 1
	for c.at < len(c.src) && c.src[c.at] == '*' {
		c.at++
	}
	rest := c.src[c.at:]
	atStart := first == 0 || c.src[first-1] == '/'
	slash := len(rest) > 0 && rest[0] == '/'
	escaped := len(rest) > 1 && rest[0] == '\\' && rest[1] == '/'
	kind := star
	switch {
	case !c.pathname:
		kind = all
	case c.at-first == 1 || !atStart:
	case slash:
		c.at++
		c.out.tokens = append(c.out.tokens, token{kind: dirs}, token{kind: dirsEnd})
		return
	case rest == "" || escaped:
		kind = all
	}
	c.out.tokens = append(c.out.tokens, token{kind: kind})
}

// class reads a bracket expression behind its [.
func (c *wildCompiler) class() {
	var t token
	negated := false
	if c.at < len(c.src) && (c.src[c.at] == '!' || c.src[c.at] == '^') {
		negated = true
		c.at++
	}
	last := -1 // the byte that a - after it starts a range from
	for first := true; ; first = false {
		switch {
		case c.at >= len(c.src):
			c.out.never = true
			return
		case c.src[c.at] == ']' && !first:
			c.at++
			if negated {
				for i := range t.set {
					t.set[i] = ^t.set[i]
				}
			}
			c.put(t)
			return
		}
		last = c.member(&t, last)
		if c.out.never {
			return
		}
	}
}

// member reads one part of a bracket expression and returns what may start a
// range, or -1.
func (c *wildCompiler) member(t *token, last int) int {
	b := c.src[c.at]
	c.at++
	switch {
	case b == '\\':
		return c.escapedMember(t)
	case b == '-' && last >= 0 && c.at < len(c.src) && c.src[c.at] != ']':
		c.toRange(t, last)
		return -1
	case b == '[' && c.at < len(c.src) && c.src[c.at] == ':':
		if c.named(t) {
			return -1
		}
	}
	c.fill(t, b, b)
	return int(b)
}

func (c *wildCompiler) escapedMember(t *token) int {
	if c.at >= len(c.src) {
		c.out.never = true
		return -1
	}
	b := c.src[c.at]
	c.at++
	c.fill(t, b, b)
	return int(b)
}

func (c *wildCompiler) toRange(t *token, from int) {
	to := c.src[c.at]
	c.at++
	if to == '\\' {
		if c.at >= len(c.src) {
			c.out.never = true
			return
		}
		to = c.src[c.at]
		c.at++
	}
	c.fill(t, byte(from), to)
}

// fill adds the bytes from lo to hi, and with fold their other case.
func (c *wildCompiler) fill(t *token, lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		t.add(byte(b))
		if c.fold {
			t.add(lower(byte(b)))
			t.add(upper(byte(b)))
		}
	}
}

// named reads [:name:] behind its [. Without :] it is an ordinary set, and
// nothing is read.
func (c *wildCompiler) named(t *token) bool {
	end := c.at + 1
	for end < len(c.src) && c.src[end] != ']' {
		end++
	}
	switch {
	case end >= len(c.src):
		c.out.never = true
		return true
	case end-c.at < 2 || c.src[end-1] != ':':
		return false
	}
	name := c.src[c.at+1 : end-1]
	c.at = end + 1
	in, ok := named[name]
	if !ok {
		c.out.never = true
		return true
	}
	for b := range 128 {
		if in(byte(b)) {
			c.fill(t, byte(b), byte(b))
		}
	}
	return true
}

var named = map[string]func(byte) bool{
	"alnum":  func(b byte) bool { return isLetter(b) || isDigit(b) },
	"alpha":  isLetter,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < 0x20 || b == 0x7F },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return b > 0x20 && b < 0x7F },
	"lower":  func(b byte) bool { return b >= 'a' && b <= 'z' },
	"print":  func(b byte) bool { return b >= 0x20 && b < 0x7F },
	"punct":  func(b byte) bool { return b > 0x20 && b < 0x7F && !isLetter(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' },
	"upper":  func(b byte) bool { return b >= 'A' && b <= 'Z' },
	"xdigit": func(b byte) bool { return isDigit(b) || lower(b) >= 'a' && lower(b) <= 'f' },
}

func isDigit(b byte) bool  { return b >= '0' && b <= '9' }
func isLetter(b byte) bool { return lower(b) >= 'a' && lower(b) <= 'z' }

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

func upper(b byte) byte {
	if b >= 'a' && b <= 'z' {
		return b - ('a' - 'A')
	}
	return b
}

// match runs all ways through the pattern at once, a byte of text at a time.
func (w *wild) match(text string) bool {
	if w.never {
		return false
	}
	n := len(w.tokens)
	var room [2][96]bool
	now, next := room[0][:], room[1][:]
	if n+1 > len(now) {
		now, next = make([]bool, n+1), make([]bool, n+1)
	}
	now, next = now[:n+1], next[:n+1]
	w.reach(now, 0)
	for i := range len(text) {
		clear(next)
		alive := false
		for p, on := range now[:n] {
			if on {
				alive = w.step(next, p, text[i]) || alive
			}
		}
		if !alive {
			return false
		}
		now, next = next, now
	}
	return now[n]
}

// step moves from token p over one byte.
func (w *wild) step(next []bool, p int, b byte) bool {
	switch t := &w.tokens[p]; t.kind {
	case one:
		if !t.has(b) {
			return false
		}
		w.reach(next, p+1)
	case star:
		if b == '/' {
			return false
		}
		w.reach(next, p)
	case all:
		w.reach(next, p)
	case dirsEnd:
		next[p] = true
		if b == '/' {
			w.reach(next, p+1)
		}
	case dirs:
		return false // only passed through
	}
	return true
}

// reach enters token p, and what can be reached from it for nothing.
func (w *wild) reach(set []bool, p int) {
	for !set[p] {
		set[p] = true
		if p == len(w.tokens) {
			return
		}
		switch w.tokens[p].kind {
		case star, all:
			p++
		case dirs:
			set[p+1] = true
			p += 2
		case one, dirsEnd:
			return
		}
	}
}
