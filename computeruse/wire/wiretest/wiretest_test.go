package wiretest

import (
	"fmt"
	"testing"
)

// A quiet is a test that only notes that it failed.
type quiet struct {
	testing.TB

	failed bool
}

func (q *quiet) Helper()               {}
func (q *quiet) Errorf(string, ...any) { q.failed = true }

func TestLine(t *testing.T) {
	for line, ok := range map[string]bool{
		`{"id":1,"method":"move","params":{"point":{"x":-5,"y":3}}}`:                  true,
		`{"id":1,"method":"displays"}`:                                                true,
		`{"id":1,"method":"move"}`:                                                    false,
		`{"id":1,"method":"move","params":{"point":{"x":1.5,"y":3}}}`:                 false,
		`{"id":0,"method":"displays"}`:                                                false,
		`{"id":1,"method":"dance"}`:                                                   false,
		`{"id":1,"result":{}}`:                                                        true,
		`{"id":1,"error":{"code":"busy","message":"another act is under way"}}`:       true,
		`{"error":{"code":"bad_request","message":"not JSON"}}`:                       true,
		`{"id":1,"error":{"code":"tired","message":"no"}}`:                            false,
		`{"event":"paused","data":{"by":"corner"}}`:                                   true,
		`{"event":"paused","data":{"by":"corner","and":1}}`:                           false,
		`{"id":1,"result":{},"error":{"code":"busy","message":"both at once"}}`:       false,
		`{"id":1,"method":"type","params":{"text":"x","window":"none","extra":true}}`: false,
	} {
		q := &quiet{TB: t}
		Line(q, []byte(line))
		if q.failed == ok {
			t.Errorf("Line(%s) failed is %v", line, q.failed)
		}
	}
	q := &quiet{TB: t}
	Result(q, "cursor", []byte(`{"point":{"x":1,"y":2}}`))
	if q.failed {
		t.Error("a right result was refused")
	}
	if Result(q, "cursor", []byte(fmt.Sprintf(`{"point":%d}`, 3))); !q.failed {
		t.Error("a wrong result was taken")
	}
}
