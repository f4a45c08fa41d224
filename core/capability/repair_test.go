package capability

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMendJSON holds what models really send, beyond the suites.
func TestMendJSON(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"words before":               {`Here are the arguments: {"a":1}`, `{"a":1}`},
		"words after":                {`{"a":1} That is all.`, `{"a":1}`},
		"a fence in words":           {"Sure:\n```json\n{\"a\":1}\n```\nDone.", `{"a":1}`},
		"single quotes":              {`{'path': 'a.txt', 'n': 3}`, `{"path":"a.txt","n":3}`},
		"apostrophe":                 {`{'text': "don't"}`, `{"text":"don't"}`},
		"Python literals":            {`{"a": True, "b": None, 'c': (1, 2)}`, `{"a":true,"b":null,"c":[1,2]}`},
		"raw line breaks":            {"{\"text\": \"a\nb\tc\"}", `{"text":"a\nb\tc"}`},
		"code with quotes":           {`{"text": "print("hi", x)", "n": 1}`, `{"text":"print(\"hi\", x)","n":1}`},
		"HTML":                       {`{"html": "<a href="x">y</a>"}`, `{"html":"<a href=\"x\">y</a>"}`},
		"a Windows path":             {`{"path": "C:\Users\me"`, `{"path":"C:Usersme"}`},
		"a brace too many":           {`{"a": {"b": 1}}}`, `{"a":{"b":1}}`},
		"braces doubled":             {`{{"a": 1}}`, `{"a":1}`},
		"closed too early":           {`{"a": 1}, "b": 2}`, `{"a":1,"b":2}`},
		"wrong bracket":              {`{"a": [1, 2}, "b": 3}`, `{"a":[1,2],"b":3}`},
		"half a key":                 {`{"a": 1, "bcd`, `{"a":1}`},
		"half a key that was before": {`{"ab": 1, "ab`, `{"ab":1}`},
		"a colour":                   {`{"color": #fff}`, `{"color":"#fff"}`},
		"an address":                 {`{url: https://example.org/a?b=c#d}`, `{"url":"https://example.org/a?b=c#d"}`},
		"key=value":                  {`{a=1, b='x'}`, `{"a":1,"b":"x"}`},
		"numbers":                    {`[+1, .5, 1_000, 0x10, 1.2.3, -]`, `[1,0.5,1000,"0x10","1.2.3",-0]`},
		"escapes":                    {`{"a": "\u00e9\ud83d\ude00\ud83d\q\/"`, `{"a":"é😀` + "\ufffd" + `q/"}`},
		"pairs in a row":             {`{"a": "x" "b": "y"}`, `{"a":"x","b":"y"}`},
		"a byte order mark":          {"\ufeff{a:1}", `{"a":1}`},
	} {
		got, err := mendJSON(tt.in)
		if err != nil || got != tt.want {
			t.Errorf("%s: %q: got %s, %v; want %s", name, tt.in, got, err, tt.want)
		}
	}
	for name, in := range map[string]string{"nothing": " ", "brackets only": "]})", "too deep": strings.Repeat("[", 2*maxDepth)} {
		if got, err := mendJSON(in); err == nil {
			t.Errorf("%s: got %q, want an error", name, got)
		}
	}
}

// TestMendJSONTime holds that no text takes long: these look again and again.
func TestMendJSONTime(t *testing.T) {
	const size = 128 << 10
	for _, piece := range []string{`"`, `'`, `",`, `" /* `, `{"a`, `[`, `a,`, `'a'`, "`\"", `"a":`, `\`, `(`, `a(`, `" `, `"a" "`, `{"k": "v" x`, `"//`, `“`, "``", `,"a`, `/`} {
		start := time.Now()
		_, _ = mendJSON(strings.Repeat(piece, size/len(piece))) // only the time counts
		_, _ = mendJSON(`{"a": "` + strings.Repeat(piece, size/len(piece)))
		if took := time.Since(start); took > 15*time.Second { // a hundredth of it is usual
			t.Errorf("%q repeated takes %v", piece, took)
		}
	}
}

const coerceSchema = `{
	"type": "object",
	"$defs": {"size": {"type": "integer"}, "self": {"$ref": "#/$defs/self"}, "tree": {"anyOf": [{"$ref": "#/$defs/tree"}, {"$ref": "#/$defs/tree"}]}},
	"required": ["must"],
	"properties": {
		"s": {"type": "string"}, "n": {"type": "number"}, "i": {"type": "integer"}, "b": {"type": "boolean"}, "must": {"type": "integer"},
		"ss": {"type": "array", "items": {"type": "string"}},
		"is": {"type": "array", "items": {"type": "integer"}},
		"o": {"type": "object", "properties": {"i": {"type": "integer"}, "ss": {"type": "array", "items": {"type": "string"}}}},
		"os": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "boolean"}}}},
		"map": {"type": "object", "additionalProperties": {"type": "integer"}},
		"maybe": {"type": ["integer", "null"]},
		"any": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
		"text": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
		"two": {"oneOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}]},
		"ref": {"$ref": "#/$defs/size"}, "self": {"$ref": "#/$defs/self"}, "tree": {"$ref": "#/$defs/tree"},
		"all": {"allOf": [{"type": "integer"}]},
		"mode": {"enum": ["1", "2"]}, "level": {"enum": [1, 2]}, "const": {"const": true},
		"pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
		"list_or_text": {"type": ["string", "array"]}
	}
}`

func TestRepairArgsCoerces(t *testing.T) {
	for name, tt := range map[string]struct{ in, want, notes string }{
		"nothing to do":              {`{"s":"1","n":1.5,"i":2}`, `{"s":"1","n":1.5,"i":2}`, ""},
		"nothing at all":             {``, `{}`, ""},
		"null":                       {` null `, `{}`, ""},
		"number":                     {`{"n":"1.50"}`, `{"n":1.50}`, "/n: read the text as a number"},
		"exponent":                   {`{"n":"1e3"}`, `{"n":1e3}`, "/n: read the text as a number"},
		"integer":                    {`{"i":" 5 "}`, `{"i":5}`, "/i: read the text as a number"},
		"whole number in text":       {`{"i":"5.0"}`, `{"i":5}`, "/i: read the text as a number"},
		"whole number":               {`{"i":5.0}`, `{"i":5}`, "/i: wrote 5.0 as a whole number"},
		"whole number, exponent":     {`{"i":2e3}`, `{"i":2000}`, "/i: wrote 2e3 as a whole number"},
		"large integer":              {`{"i":"12345678901234567890"}`, `{"i":12345678901234567890}`, "/i: read the text as a number"},
		"true":                       {`{"b":"True"}`, `{"b":true}`, "/b: read the text as a truth value"},
		"text of a number":           {`{"s":1.50}`, `{"s":"1.50"}`, "/s: read the number as text"},
		"text of a truth value":      {`{"s":false}`, `{"s":"false"}`, "/s: read the truth value as text"},
		"array in text":              {`{"is":"[1, 2]"}`, `{"is":[1,2]}`, "/is: read the text as JSON"},
		"array in text, within too":  {`{"is":"[\"1\"]"}`, `{"is":[1]}`, "/is: read the text as JSON; /is/0: read the text as a number"},
		"array in Python":            {`{"ss":"['a', 'b']"}`, `{"ss":["a","b"]}`, "/ss: read the text as JSON"},
		"one for a list":             {`{"ss":"a,b"}`, `{"ss":["a,b"]}`, "/ss: made a list of the single value"},
		"one number for a list":      {`{"is":"3"}`, `{"is":[3]}`, "/is: made a list of the single value"},
		"one object for a list":      {`{"os":{"b":"true"}}`, `{"os":[{"b":true}]}`, "/os: made a list of the single value"},
		"object in text":             {`{"o":"{\"i\":\"3\"}"}`, `{"o":{"i":3}}`, "/o: read the text as JSON; /o/i: read the text as a number"},
		"deep":                       {`{"o":{"ss":[1,"2"],"i":"3"}}`, `{"o":{"i":3,"ss":["1","2"]}}`, "/o/i: read the text as a number; /o/ss/0: read the number as text"},
		"additional":                 {`{"map":{"a/b":"1"}}`, `{"map":{"a/b":1}}`, "/map/a~1b: read the text as a number"},
		"nullable":                   {`{"maybe":"null"}`, `{"maybe":null}`, "/maybe: read the text as null"},
		"nullable number":            {`{"maybe":"3"}`, `{"maybe":3}`, "/maybe: read the text as a number"},
		"anyOf":                      {`{"any":"3"}`, `{"any":3}`, "/any: read the text as a number"},
		"anyOf null":                 {`{"any":"None"}`, `{"any":null}`, "/any: read the text as null"},
		"anyOf takes it":             {`{"text":"3"}`, `{"text":"3"}`, ""},
		"oneOf":                      {`{"two":"x"}`, `{"two":["x"]}`, "/two: made a list of the single value"},
		"oneOf, two meanings":        {`{"two":"true"}`, `{"two":"true"}`, ""},
		"reference":                  {`{"ref":"3"}`, `{"ref":3}`, "/ref: read the text as a number"},
		"reference to itself":        {`{"self":"3"}`, `{"self":"3"}`, ""},
		"a tree of references":       {`{"tree":"3"}`, `{"tree":"3"}`, ""},
		"allOf":                      {`{"all":"3"}`, `{"all":3}`, "/all: read the text as a number"},
		"enum of texts":              {`{"mode":1}`, `{"mode":"1"}`, "/mode: read the number as text"},
		"enum of numbers":            {`{"level":"1"}`, `{"level":1}`, "/level: read the text as a number"},
		"const":                      {`{"const":"true"}`, `{"const":true}`, "/const: read the text as a truth value"},
		"tuple":                      {`{"pair":["1",2]}`, `{"pair":[1,"2"]}`, "/pair/0: read the text as a number; /pair/1: read the number as text"},
		"an optional null":           {`{"s":null,"i":1}`, `{"i":1}`, "/s: left out the null"},
		"the whole in text":          {`"{\"i\":\"3\"}"`, `{"i":3}`, "/: read the text as JSON; /i: read the text as a number"},
		"broken and of another type": {`{i: "3"`, `{"i":3}`, "mended the JSON; /i: read the text as a number"},
		"<&> stay readable":          {`{"s":"<&>","i":"1"}`, `{"i":1,"s":"<&>"}`, "/i: read the text as a number"},

		// Never a guess.
		"not a number":            {`{"i":"5 apples"}`, `{"i":"5 apples"}`, ""},
		"thousands":               {`{"i":"1,000"}`, `{"i":"1,000"}`, ""},
		"hexadecimal":             {`{"i":"0x10"}`, `{"i":"0x10"}`, ""},
		"a fraction":              {`{"i":"5.5"}`, `{"i":"5.5"}`, ""},
		"a fraction as a number":  {`{"i":5.5}`, `{"i":5.5}`, ""},
		"an immense exponent":     {`{"i":1e999999999}`, `{"i":1e999999999}`, ""},
		"yes":                     {`{"b":"yes"}`, `{"b":"yes"}`, ""},
		"one for true":            {`{"b":1}`, `{"b":1}`, ""},
		"empty for a number":      {`{"i":""}`, `{"i":""}`, ""},
		"object for text":         {`{"s":{"a":1}}`, `{"s":{"a":1}}`, ""},
		"list for one":            {`{"s":["a"]}`, `{"s":["a"]}`, ""},
		"a broken list":           {`{"ss":"[a"}`, `{"ss":"[a"}`, ""},
		"text for objects":        {`{"os":"x"}`, `{"os":"x"}`, ""},
		"a required null":         {`{"must":null}`, `{"must":null}`, ""},
		"number for text or list": {`{"list_or_text":1}`, `{"list_or_text":1}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, notes, err := RepairArgs(json.RawMessage(tt.in), json.RawMessage(coerceSchema))
			if err != nil || string(got) != tt.want {
				t.Errorf("%s: got %s, %v; want %s", tt.in, got, err, tt.want)
			}
			if d := cmp.Diff(tt.notes, strings.Join(notes, "; ")); d != "" {
				t.Errorf("%s: notes (-want +got):\n%s", tt.in, d)
			}
		})
	}
}

func TestRepairArgsRefuses(t *testing.T) {
	if _, _, err := RepairArgs(json.RawMessage(strings.Repeat("[", 2*maxDepth)), json.RawMessage(coerceSchema)); !errors.Is(err, BadInput) {
		t.Errorf("err = %v, want %v", err, BadInput)
	}
	if got, _, err := RepairArgs(json.RawMessage(`{"a":"1"}`), json.RawMessage(`{"type":`)); err != nil || string(got) != `{"a":"1"}` {
		t.Errorf("a schema that cannot be read: got %s, %v", got, err)
	}
}

// TestCoerceBounded gives a schema that branches into itself, from outside.
func TestCoerceBounded(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/properties/a/anyOf/1"},{"type":"array","items":{"anyOf":[{"$ref":"#/properties/a"},{"$ref":"#/properties/a"},{"$ref":"#"}]}}]}}}`)
	args := json.RawMessage(`{"a":` + strings.Repeat("[", 60) + `"x"` + strings.Repeat("]", 60) + `}`)
	start := time.Now()
	if _, _, err := RepairArgs(args, schema); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}

func FuzzRepairArgs(f *testing.F) {
	for _, in := range []string{`{"i":"5"}`, `{a:1`, "```json\n{}\n```", `{"s":null}`, `"{\"i\":1}"`, `[1,`, `{"text":"a "b" c"}`, `{"o":{"i":"x`, `\"a\"`, `f({`, `{'a'`, `+ 00`} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		got, _, err := RepairArgs(args, json.RawMessage(coerceSchema))
		if err != nil {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%q became %q, which is not JSON", args, got)
		}
		again, notes, err := RepairArgs(got, json.RawMessage(coerceSchema))
		if err != nil || len(notes) > 0 && strings.HasPrefix(notes[0], "mended") {
			t.Fatalf("%q became %q, and that became %q (%v, %v)", args, got, again, notes, err)
		}
	})
}
