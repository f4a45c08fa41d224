package config

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"
)

// A Key is one setting that can be made, as help and forms show it.
type Key struct {
	Name    string   // dotted; NAME stands for a name of the owner's choice, N for a place in a list
	Type    string   // text, number, yes/no, time span or list
	Comment string   // what it does, in sentences
	Choices []string // the only values it takes; empty when it is free
	Default string   // as TOML
}

// Keys lists every setting in the order of the default file.
func Keys() []Key {
	var out []Key
	walkKeys(reflect.ValueOf(*Default()), "", func(name string, f reflect.StructField, v reflect.Value) {
		out = append(out, Key{Name: name, Type: typeName(f.Type), Comment: f.Tag.Get("comment"), Choices: choices(f.Tag), Default: encode(v)})
	})
	return out
}

func walkKeys(v reflect.Value, prefix string, visit func(string, reflect.StructField, reflect.Value)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := prefix + f.Tag.Get("toml")
		switch t := f.Type; {
		case t.Kind() == reflect.Struct:
			walkKeys(v.Field(i), name+".", visit)
		case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
			walkKeys(reflect.Zero(t.Elem()), name+".NAME.", visit)
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			walkKeys(reflect.Zero(t.Elem()), name+".N.", visit)
		default:
			visit(name, f, v.Field(i))
		}
	}
}

// choices are the values that a tag allows.
func choices(tag reflect.StructTag) []string {
	if tag.Get("enum") == "" {
		return nil
	}
	return strings.Split(tag.Get("enum"), ",")
}

var durationType = reflect.TypeFor[Duration]()

// typeName is what a person calls the type of a setting.
func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer { // may be unsaid
		t = t.Elem()
	}
	switch {
	case t == durationType:
		return "time span"
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "yes/no"
	case t.Kind() == reflect.Int:
		return "number"
	case t.Kind() == reflect.Slice:
		return "list"
	}
	return "table"
}

// A slot is a place in [Config] that a path of keys leads to.
type slot struct {
	typ    reflect.Type
	tag    reflect.StructTag // of the field, or of the list that holds it
	listed bool              // an element of a list, or a value of a map
}

// slotOf follows a path. When it breaks off, known are the names that could
// stand at path[at].
func slotOf(path []string) (s slot, at int, known []string, ok bool) {
	s = slot{typ: reflect.TypeFor[Config]()}
	for i, name := range path {
		switch {
		case s.typ.Kind() == reflect.Struct:
			f, found := fieldOf(s.typ, name)
			if !found {
				return s, i, fieldNames(s.typ), false
			}
			s = slot{typ: f.Type, tag: f.Tag}
		case s.typ.Kind() == reflect.Map:
			s.typ, s.listed = s.typ.Elem(), true
		case s.typ.Kind() == reflect.Slice:
			if _, err := strconv.Atoi(name); err != nil {
				return s, i, nil, false
			}
			s.typ, s.listed = s.typ.Elem(), true
		default:
			return s, i, nil, false
		}
	}
	return s, len(path), nil, true
}

func fieldOf(t reflect.Type, name string) (reflect.StructField, bool) {
	for f := range t.Fields() {
		if f.Tag.Get("toml") == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func fieldNames(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("toml")
	}
	return names
}

// valueAt follows a path into a config. A name that a map lacks, or a place
// past the end of a list, is not there.
func valueAt(c *Config, path []string) (reflect.Value, bool) {
	v := reflect.ValueOf(c).Elem()
	for _, name := range path {
		switch v.Kind() {
		case reflect.Struct:
			f, ok := fieldOf(v.Type(), name)
			if !ok {
				return v, false
			}
			v = v.FieldByIndex(f.Index)
		case reflect.Map:
			v = v.MapIndex(reflect.ValueOf(name))
			if !v.IsValid() {
				return v, false
			}
		case reflect.Slice:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= v.Len() {
				return v, false
			}
			v = v.Index(i)
		default:
			return v, false
		}
	}
	return v, true
}

// textMarshaler is v as a value that writes itself, if it is one.
func textMarshaler(v reflect.Value) (encoding.TextMarshaler, bool) {
	return reflect.TypeAssert[encoding.TextMarshaler](v)
}
