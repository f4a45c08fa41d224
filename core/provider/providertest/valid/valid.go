// Package valid holds requests to what the interfaces of providers take: the
// rules that their vendors document, and those that they are known to hold. It
// knows nothing of how our clients work, so that it can judge them.
package valid

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Request reports why an interface would refuse the body of a request. Path is
// that of the request, which tells the interface.
func Request(path string, body []byte) error {
	var doc object
	if err := json.Unmarshal(body, &doc); err != nil {
		return fmt.Errorf("the body is no JSON object: %w", err)
	}
	if strings.ToValidUTF8(string(body), "") != string(body) {
		return errors.New("the body is not UTF-8")
	}
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return validChat(doc)
	case strings.HasSuffix(path, "/responses"):
		return validResponses(doc)
	case strings.HasSuffix(path, "/messages"):
		return validAnthropic(doc)
	case strings.Contains(path, ":generateContent"), strings.Contains(path, ":streamGenerateContent"):
		return validGemini(doc)
	}
	return fmt.Errorf("no interface has the path %s", path)
}

// An object is a JSON object, with getters for what should be there.
type object map[string]any

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

func (o object) object(key string) object {
	m, _ := o[key].(map[string]any)
	return m
}

func (o object) list(key string) []any {
	l, _ := o[key].([]any)
	return l
}

func (o object) has(key string) bool {
	_, ok := o[key]
	return ok
}

// only refuses fields that are not documented.
func (o object) only(known ...string) error {
	for k := range o {
		if !slices.Contains(known, k) {
			return fmt.Errorf("unknown field %q", k)
		}
	}
	return nil
}

// each calls do with the objects of a list.
func each(list []any, do func(i int, o object) error) error {
	for i, v := range list {
		m, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("[%d]: no object", i)
		}
		if err := do(i, m); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

var (
	wordRE = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	idRE   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

var pictureTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

func validPicture(mime, data string) error {
	if !slices.Contains(pictureTypes, mime) {
		return fmt.Errorf("pictures of the type %q are not taken", mime)
	}
	if b, err := base64.StdEncoding.DecodeString(data); err != nil || len(b) == 0 {
		return errors.New("a picture that is no base64")
	}
	return nil
}

func validDataURL(url string) error {
	if strings.HasPrefix(url, "https://") {
		return nil
	}
	head, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !ok {
		return fmt.Errorf("%.20q is no address of a picture", url)
	}
	return validPicture(head, data)
}

func validArguments(args string) error {
	var o map[string]any
	if json.Unmarshal([]byte(args), &o) != nil || o == nil {
		return fmt.Errorf("the arguments %.40q are no JSON object", args)
	}
	return nil
}

// validFunction checks a tool's name and schema, and that the name is new.
func validFunction(name string, schema object, seen map[string]bool) error {
	switch {
	case !wordRE.MatchString(name):
		return fmt.Errorf("a tool cannot be called %q", name)
	case seen[name]:
		return fmt.Errorf("two tools are called %s", name)
	case schema != nil && schema.text("type") != "object":
		return fmt.Errorf("the parameters of %s are no object", name)
	}
	seen[name] = true
	return nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
