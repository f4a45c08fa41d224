package outbound

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Field is one question of an elicitation's form.
type Field struct {
	Name     string
	Label    string
	Help     string
	Kind     string   // text, number, integer, boolean, choice or choices
	Options  []string // what a choice is between, as the answer has it
	Titles   []string // of the options, for people
	Default  string
	Required bool
}

// fieldSchema is what the protocol allows for one property.
type fieldSchema struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []namedValue    `json:"oneOf"`
	Default     json.RawMessage `json:"default"`
	Items       *struct {
		Enum  []string     `json:"enum"`
		AnyOf []namedValue `json:"anyOf"`
	} `json:"items"`
}

type namedValue struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// Fields reads the form of an elicitation: an object of plain values.
func (e Elicitation) Fields() ([]Field, error) {
	var s struct {
		Properties map[string]fieldSchema `json:"properties"`
		Required   []string               `json:"required"`
	}
	if len(e.Schema) == 0 {
		return nil, errors.New("the question has no form")
	}
	if err := json.Unmarshal(e.Schema, &s); err != nil {
		return nil, fmt.Errorf("the form of the question cannot be read: %w", err)
	}
	var out []Field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		f, err := field(name, s.Properties[name])
		if err != nil {
			return nil, err
		}
		f.Required = slices.Contains(s.Required, name)
		out = append(out, f)
	}
	return out, nil
}

func field(name string, p fieldSchema) (Field, error) {
	f := Field{Name: name, Label: or(p.Title, name), Help: p.Description, Kind: p.Type}
	switch {
	case p.Type == "array" && p.Items != nil:
		f.Kind = "choices"
		f.Options, f.Titles = p.Items.Enum, p.Items.Enum
		for _, v := range p.Items.AnyOf {
			f.Options, f.Titles = append(f.Options, v.Const), append(f.Titles, or(v.Title, v.Const))
		}
	case len(p.Enum) > 0:
		f.Kind, f.Options, f.Titles = "choice", p.Enum, p.Enum
		if len(p.EnumNames) == len(p.Enum) {
			f.Titles = p.EnumNames
		}
	case len(p.OneOf) > 0:
		f.Kind = "choice"
		for _, v := range p.OneOf {
			f.Options, f.Titles = append(f.Options, v.Const), append(f.Titles, or(v.Title, v.Const))
		}
	case p.Type == "string":
		f.Kind = "text"
	case p.Type != "number" && p.Type != "integer" && p.Type != "boolean":
		return f, fmt.Errorf("the question asks for %s as %q, which no form can", name, p.Type)
	}
	if len(p.Default) > 0 && string(p.Default) != "null" {
		f.Default = strings.Trim(string(p.Default), `"`)
	}
	return f, nil
}

// Value makes what a person answered into what the form asks for. An empty
// answer is the default; ok is false when there is none to give.
func (f Field) Value(answer []string) (value any, ok bool, err error) {
	text := strings.TrimSpace(strings.Join(answer, ","))
	if text == "" {
		text = f.Default
	}
	if text == "" {
		if f.Required {
			return nil, false, fmt.Errorf("%s is needed", f.Label)
		}
		return nil, false, nil
	}
	switch f.Kind {
	case "number":
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %q is not a number", f.Label, text)
		}
		return v, true, nil
	case "integer":
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %q is not a whole number", f.Label, text)
		}
		return v, true, nil
	case "boolean":
		switch strings.ToLower(text) {
		case "yes", "true":
			return true, true, nil
		case "no", "false":
			return false, true, nil
		}
		return nil, false, fmt.Errorf("%s: %q is neither yes nor no", f.Label, text)
	case "choice":
		v, err := f.option(text)
		return v, err == nil, err
	case "choices":
		out := []string{}
		for _, a := range answer {
			v, err := f.option(a)
			if err != nil {
				return nil, false, err
			}
			out = append(out, v)
		}
		return out, true, nil
	}
	return text, true, nil
}

// option is the value of an option that was picked by its title or its value.
func (f Field) option(picked string) (string, error) {
	if i := slices.Index(f.Titles, picked); i >= 0 {
		return f.Options[i], nil
	}
	if slices.Contains(f.Options, picked) {
		return picked, nil
	}
	return "", fmt.Errorf("%s: %q is none of %s", f.Label, picked, strings.Join(f.Titles, ", "))
}
