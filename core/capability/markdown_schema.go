package capability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// How a page shows a schema.

// A schemaRow is one parameter of a page.
type schemaRow struct{ name, kind, meaning string }

// maxNesting bounds how deep a page goes into a schema.
const maxNesting = 4

// shownSchema is what a page shows of a schema.
type shownSchema struct {
	Type        any             `json:"type"`
	Description string          `json:"description"`
	Properties  members         `json:"properties"`
	Required    []string        `json:"required"`
	Items       json.RawMessage `json:"items"`
	Enum        []any           `json:"enum"`
	Default     json.RawMessage `json:"default"`
	Minimum     *json.Number    `json:"minimum"`
	Maximum     *json.Number    `json:"maximum"`
	MinLength   *json.Number    `json:"minLength"`
	MaxLength   *json.Number    `json:"maxLength"`
	MinItems    *json.Number    `json:"minItems"`
	MaxItems    *json.Number    `json:"maxItems"`
}

// members are the members of an object in the order in which they stand.
type members []member

type member struct {
	name   string
	schema json.RawMessage
}

// UnmarshalJSON reads an object.
func (m *members) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') {
		return fmt.Errorf("not an object: %w", err)
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		one := member{name: name.(string)} // the decoder sees to it
		if err := dec.Decode(&one.schema); err != nil {
			return err
		}
		*m = append(*m, one)
	}
	return nil
}

// schemaRows lists the parameters of a schema, those below prefix included. The
// required ones come first.
func schemaRows(schema json.RawMessage, prefix string, depth int) (rows []schemaRow, err error) {
	s, ok := readShown(schema)
	switch {
	case !ok && depth == 0:
		return nil, errors.New("the schema does not decode")
	case !ok || depth > maxNesting:
		return nil, nil
	}
	props := slices.Clone(s.Properties)
	slices.SortStableFunc(props, func(a, b member) int {
		return rank(s.Required, a.name) - rank(s.Required, b.name)
	})
	for _, p := range props {
		one, ok := readShown(p.schema)
		if !ok {
			continue // true or false: there is nothing to say
		}
		name := prefix + p.name
		star := ""
		if slices.Contains(s.Required, p.name) {
			star = "*"
		}
		rows = append(rows, schemaRow{name + star, one.kind(), one.meaning()})
		below, at := p.schema, name+"."
		if len(one.Items) > 0 {
			below, at = one.Items, name+"[]."
		}
		more, err := schemaRows(below, at, depth+1)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func rank(required []string, name string) int {
	if slices.Contains(required, name) {
		return 0
	}
	return 1
}

func readShown(raw json.RawMessage) (s shownSchema, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return s, dec.Decode(&s) == nil
}

// kind is the type in words: "list of string", "string or null".
func (s *shownSchema) kind() string {
	var names []string
	switch t := s.Type.(type) {
	case string:
		names = []string{t}
	case []any:
		for _, one := range t {
			names = append(names, fmt.Sprint(one))
		}
	}
	if len(s.Items) > 0 && slices.Equal(names, []string{"array"}) {
		if item, ok := readShown(s.Items); ok && item.kind() != "any" {
			return "list of " + item.kind()
		}
		return "list"
	}
	if len(names) == 0 {
		return "any"
	}
	return strings.Join(names, " or ")
}

// meaning is the description with what bounds the value.
func (s *shownSchema) meaning() string {
	parts := []string{s.Description}
	values := s.Enum
	if item, ok := readShown(s.Items); ok && len(values) == 0 {
		values = item.Enum
	}
	if len(values) > 0 {
		var list []string
		for _, v := range values {
			raw, err := encodeAny(v)
			if err == nil {
				list = append(list, "`"+strings.Trim(string(raw), `"`)+"`")
			}
		}
		parts = append(parts, "One of "+strings.Join(list, ", "))
	}
	for _, b := range []struct {
		least, most *json.Number
		what        string
	}{{s.Minimum, s.Maximum, ""}, {s.MinLength, s.MaxLength, " characters"}, {s.MinItems, s.MaxItems, " items"}} {
		switch {
		case b.least != nil && b.most != nil:
			parts = append(parts, fmt.Sprintf("%s to %s%s", *b.least, *b.most, b.what))
		case b.least != nil:
			parts = append(parts, fmt.Sprintf("At least %s%s", *b.least, b.what))
		case b.most != nil:
			parts = append(parts, fmt.Sprintf("At most %s%s", *b.most, b.what))
		}
	}
	if len(s.Default) > 0 {
		parts = append(parts, "Default `"+strings.Trim(string(s.Default), `"`)+"`")
	}
	return sentences(parts)
}

// sentences joins parts with full stops.
func sentences(parts []string) string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(p), ".")); p != "" {
			out = append(out, upper(p))
		}
	}
	return strings.Join(out, ". ")
}
