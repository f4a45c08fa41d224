package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// closedSchema refuses every event that is not exactly as it is published.
var closedSchema = sync.OnceValue(func() *jsonschema.Schema {
	raw, err := EventSchema(true)
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("events.json", doc); err != nil {
		panic(err)
	}
	s, err := c.Compile("events.json")
	if err != nil {
		panic(err)
	}
	return s
})

// checkEvent holds an event to the published schema.
func checkEvent(tb testing.TB, e Event) {
	tb.Helper()
	raw, err := json.Marshal(e)
	if err != nil {
		tb.Errorf("%s: %v", e.Payload.Name(), err)
		return
	}
	const most = 1 << 20
	if len(raw) > most {
		return // the shape of one event of megabytes is that of a small one
	}
	checkLine(tb, raw)
}

func checkLine(tb testing.TB, raw []byte) {
	tb.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err == nil {
		err = closedSchema().Validate(doc)
	}
	if err != nil {
		tb.Errorf("%s is not what the schema says: %v", raw, err)
	}
}

// watchAll holds every event of a hub to the schema, the live ones too, until
// the test ends. So every test that plays a turn tests the schema.
func watchAll(t *testing.T, h *Hub, j *memory) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	watch := h.Watch(ctx, "", 0)
	done.Go(func() {
		for e, err := range watch {
			if err != nil {
				t.Error(err)
				return
			}
			checkEvent(t, e)
		}
	})
	t.Cleanup(func() {
		cancel()
		done.Wait()
		j.mu.Lock() // the watch may have missed the last ones
		defer j.mu.Unlock()
		for _, list := range j.events {
			for _, e := range list {
				checkEvent(t, e)
			}
		}
	})
}

// TestEventSchema: each payload with all its fields set is as the schema says,
// and what is not is refused.
func TestEventSchema(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range everyPayload() {
		seen[p.Name()] = true
		checkEvent(t, Event{Seq: 1, Session: "s", Turn: "t", At: now(), Payload: p})
	}
	for _, name := range EventNames() {
		if !seen[name] {
			t.Errorf("%s is not among the payloads of the test", name)
		}
		zero, err := decoders[name]([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := zero.(ModelGeneration); ok {
			p.Stop = "end" // it is never empty
			zero = p
		}
		checkEvent(t, Event{Session: "s", At: now(), Payload: zero})
	}
	for _, bad := range []string{
		`{}`, `{"type":"notice","session":"s","time":"2026-11-30T08:54:06Z","data":{}}`,
		`{"type":"notice","session":"s","time":"yesterday","data":{"text":"a"}}`,
		`{"type":"notice","seq":0,"session":"s","time":"2026-11-30T08:54:06Z","data":{"text":"a"}}`,
		`{"type":"notice","session":"s","time":"2026-11-30T08:54:06Z","data":{"text":1}}`,
		`{"type":"notice","session":"s","time":"2026-11-30T08:54:06Z","data":{"text":"a","more":1}}`,
		`{"type":"nothing","session":"s","time":"2026-11-30T08:54:06Z","data":{}}`,
	} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(bad)))
		if err != nil {
			t.Fatal(err)
		}
		if closedSchema().Validate(doc) == nil {
			t.Errorf("%s is let through", bad)
		}
	}
}

// everyPayload is each payload with something in every field.
func everyPayload() (out []Payload) {
	for _, name := range EventNames() {
		zero, err := decoders[name]([]byte("{}"))
		if err != nil {
			panic(err)
		}
		v := reflect.New(reflect.TypeOf(zero)).Elem()
		fill(v)
		out = append(out, v.Interface().(Payload))
	}
	return out
}

func fill(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*x = json.RawMessage(`{"a":[1,null]}`)
		return
	case *time.Time:
		*x = now()
		return
	case *provider.Stop:
		*x = provider.StopTools
		return
	case *capability.Trust:
		*x = capability.Guest
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for _, f := range v.Fields() {
			fill(f)
		}
	default:
		panic("the test cannot fill a " + v.Kind().String())
	}
}
