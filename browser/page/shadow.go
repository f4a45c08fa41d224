package page

import (
	"context"
	"encoding/json"
)

// openShadows looks for closed shadow roots at elements that seem to be empty,
// and hands them to the script. It reports whether there were any.
//
// A script cannot see a closed root, not even in an isolated world; the protocol
// can.
func (w world) openShadows(ctx context.Context, hosts []int) bool {
	const most = 40 // in one go: each costs a call
	objects, err := w.elements(ctx, hosts[:min(len(hosts), most)])
	if err != nil {
		return false
	}
	defer w.release()
	type described struct {
		Node struct {
			Roots []struct {
				Backend int64  `json:"backendNodeId"`
				Kind    string `json:"shadowRootType"`
			} `json:"shadowRoots"`
		} `json:"node"`
	}
	waits := make([]func(context.Context, any) error, len(objects))
	for i, id := range objects {
		waits[i] = w.frame.Session.Post("DOM.describeNode", map[string]any{"objectId": id})
	}
	found := false
	for i, wait := range waits {
		var d described
		if wait(ctx, &d) != nil {
			continue // it went away meanwhile
		}
		for _, root := range d.Node.Roots {
			if root.Kind == "closed" {
				found = w.adopt(ctx, objects[i], root.Backend) || found
			}
		}
	}
	return found
}

// adopt tells the script of the closed root of an element.
func (w world) adopt(ctx context.Context, host string, root int64) bool {
	id, err := w.resolve(ctx, root)
	if err != nil {
		return false
	}
	_, err = w.invoke(`function(host, root) { globalThis.hobkin.adopt(host, root) }`, true, object(host), object(id))(ctx)
	return err == nil
}

// elements are the objects of several references, without those that are gone.
func (w world) elements(ctx context.Context, numbers []int) ([]string, error) {
	list, err := w.run(ctx, `function(numbers) { return globalThis.hobkin ? globalThis.hobkin.elements(numbers) : null }`, false, value(numbers))
	if err != nil {
		return nil, err
	}
	var own struct {
		Result []struct {
			Name  string `json:"name"`
			Value remote `json:"value"`
		} `json:"result"`
	}
	err = w.frame.Session.Call(ctx, "Runtime.getProperties", map[string]any{"objectId": list.ObjectID, "ownProperties": true}, &own)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, p := range own.Result {
		if p.Value.Subtype == "node" && p.Value.ObjectID != "" {
			ids = append(ids, p.Value.ObjectID)
		}
	}
	return ids, nil
}

// number reads a whole number that the script gave; 0 when it is none.
func number(raw json.RawMessage) int {
	var n int
	if json.Unmarshal(raw, &n) != nil || n < 0 || n > maxNumber {
		return 0
	}
	return n
}
