package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// encode writes a value as TOML on one line. Empty fields of tables are left
// out.
func encode(v reflect.Value) string {
	if m, ok := textMarshaler(v); ok {
		text, err := m.MarshalText()
		if err != nil {
			return quote("")
		}
		return quote(string(text))
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v = reflect.New(v.Type().Elem()) // unsaid; an example needs some value
		}
		return encode(v.Elem())
	case reflect.String:
		return quote(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = encode(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Map:
		return encodeMap(v)
	case reflect.Struct:
		return encodeStruct(v)
	}
	return quote(fmt.Sprint(v))
}

func encodeMap(v reflect.Value) string {
	values := map[string]reflect.Value{}
	for it := v.MapRange(); it.Next(); {
		values[it.Key().String()] = it.Value()
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		pairs = append(pairs, quoteKey(name)+" = "+encode(values[name]))
	}
	return braces(pairs)
}

func encodeStruct(v reflect.Value) string {
	var pairs []string
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			pairs = append(pairs, v.Type().Field(i).Tag.Get("toml")+" = "+encode(f))
		}
	}
	return braces(pairs)
}

func braces(pairs []string) string {
	if len(pairs) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(pairs, ", ") + " }"
}

// quote writes s as a TOML string. Bytes that are not UTF-8 become U+FFFD.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s { // a broken byte comes as U+FFFD
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// nearest returns the name that is most like the given one, or nothing when
// none is like it.
func nearest(name string, known []string) string {
	best, most := "", max(2, utf8.RuneCountInString(name)/3)+1
	for _, k := range known {
		if k == "" {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < most {
			best, most = k, d
		}
	}
	return best
}

// distance is the number of letters to change, add, drop or swap with their
// neighbour to get from a to b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return 64 // no name of ours is as long
	}
	var before []int // the row before the last
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
