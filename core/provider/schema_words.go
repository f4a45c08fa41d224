package provider

import (
	"encoding/json"
	"regexp"
	"slices"
)

// A Dialect is what an interface takes of JSON Schema. Tools of other people's
// servers are described in all drafts of it, and some interfaces refuse a whole
// request for one word in one tool.
type Dialect int

// The dialects.
const (
	OpenAISchema    Dialect = iota // JSON Schema, but lists say what they hold and nothing is a boolean
	AnthropicSchema                // the draft of 2020-12, and names of properties are plain
	GeminiSchema                   // some words of it, and no references that go round
)

// What the words of JSON Schema hold, as far as that matters to a rewrite.
var (
	wordsOfOne   = []string{"items", "additionalProperties", "contains", "propertyNames"}
	wordsOfMany  = []string{"anyOf", "oneOf", "allOf", "prefixItems"}
	wordsOfNamed = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	wordsOfCount = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	// What is dropped everywhere: it says where the schema came from, or counts
	// on words that a rewrite may take away.
	wordsOfNoUse = []string{"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "$vocabulary", "$comment", "unevaluatedProperties", "unevaluatedItems", "dependencies", "additionalItems"}
	// What holds a schema that must not be made wider: the whole would get
	// narrower.
	wordsTurned = []string{"not", "if", "then", "else"}

	types = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

	// geminiWords is what Gemini's interface documents for parametersJsonSchema.
	geminiWords = []string{
		"type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum", "maximum",
		"anyOf", "oneOf", "properties", "additionalProperties", "required",
	}
	// plainName is what Anthropic's interface takes as the name of a property.
	plainName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

// sound reports whether the value of a word is of the kind that the word has in
// the draft of 2020-12.
func sound(word string, v any) bool {
	switch {
	case slices.Contains(wordsOfCount, word):
		_, ok := v.(json.Number)
		return ok
	case slices.Contains(wordsOfMany, word):
		list, ok := v.([]any)
		return ok && len(list) > 0
	case slices.Contains(wordsOfNamed, word):
		_, ok := v.(map[string]any)
		return ok
	}
	switch word {
	case "type":
		return soundType(v)
	case "enum":
		list, ok := v.([]any)
		return ok && len(list) > 0
	case "required":
		return texts(v)
	case "description", "title", "format", "pattern", "$ref", "contentEncoding", "contentMediaType":
		_, ok := v.(string)
		return ok
	case "uniqueItems":
		_, ok := v.(bool)
		return ok
	}
	return true
}

func soundType(v any) bool {
	if name, ok := v.(string); ok {
		return slices.Contains(types, name)
	}
	list, ok := v.([]any)
	return ok && len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool {
		name, ok := v.(string)
		return !ok || !slices.Contains(types, name)
	})
}

func texts(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok })
}
