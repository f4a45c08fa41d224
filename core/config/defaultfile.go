package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// DefaultFile is the text of a config file that sets nothing: every setting
// with its comment and its default, commented out.
func DefaultFile() []byte {
	var b strings.Builder
	b.WriteString("# Settings of Hobkin. A line such as \"# max_steps = 100\" shows a setting and its\n")
	b.WriteString("# default: remove the # to change it. Hobkin notices when this file is saved, and\n")
	b.WriteString("# keeps your comments when it changes a setting itself.\n\n")
	fmt.Fprintf(&b, "version = %d\n", Version)
	w := tableWriter{&b, map[reflect.Type]bool{}}
	w.table(reflect.ValueOf(*Default()), nil, false)
	return []byte(b.String())
}

// A tableWriter writes the default file.
type tableWriter struct {
	*strings.Builder
	explained map[reflect.Type]bool // the same settings are not explained twice
}

// table writes the settings of one table, then the tables inside it. Whatever
// stands below an example is an example too, all commented out.
func (b tableWriter) table(v reflect.Value, path []string, example bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if isTable(f.Type) || f.Tag.Get("toml") == "version" {
			continue
		}
		if !b.explained[v.Type()] {
			b.comment(f)
		}
		b.WriteString("# " + f.Tag.Get("toml") + " = " + encode(v.Field(i)) + "\n")
	}
	b.explained[v.Type()] = true
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !isTable(f.Type) {
			continue
		}
		at := append(append([]string{}, path...), f.Tag.Get("toml"))
		switch f.Type.Kind() {
		case reflect.Struct:
			if hasValues(f.Type) {
				b.WriteString("\n")
				b.comment(f)
				b.header("["+joinKey(at)+"]", example)
			}
			b.table(v.Field(i), at, example)
		case reflect.Map:
			b.WriteString("\n")
			b.comment(f)
			b.header("["+joinKey(at)+".NAME]", true)
			b.table(reflect.Zero(f.Type.Elem()), append(slices.Clone(at), "NAME"), true)
		case reflect.Slice:
			b.WriteString("\n")
			b.comment(f)
			b.header("[["+joinKey(at)+"]]", true)
			b.table(reflect.Zero(f.Type.Elem()), at, true)
		}
	}
}

// isTable reports whether a field is written under a header of its own.
func isTable(t reflect.Type) bool {
	if t.Kind() == reflect.Map || t.Kind() == reflect.Slice {
		return t.Elem().Kind() == reflect.Struct
	}
	return t.Kind() == reflect.Struct
}

func hasValues(t reflect.Type) bool {
	for f := range t.Fields() {
		if !isTable(f.Type) {
			return true
		}
	}
	return false
}

func (b tableWriter) comment(f reflect.StructField) {
	line := "#"
	text := f.Tag.Get("comment")
	if allowed := choices(f.Tag); allowed != nil {
		text += map[bool]string{true: " Any of: ", false: " One of: "}[f.Type.Kind() == reflect.Slice] + strings.TrimPrefix(strings.Join(allowed, ", "), ", ") + "."
	}
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 88 {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	if line != "#" {
		b.WriteString(line + "\n")
	}
}

func (b tableWriter) header(header string, example bool) {
	if example {
		header = "# " + header
	}
	b.WriteString(header + "\n")
}
