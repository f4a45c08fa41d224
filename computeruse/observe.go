package computeruse

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// An observation is what a conversation was shown: a picture, or a list of
// elements.
type observation struct {
	session  string
	frame    *Frame               // of a picture
	elements *wire.ElementsResult // of a list
	at       time.Time
}

// observations are the latest of all conversations.
type observations struct {
	prefix string // tells those of this process from older ones that a model may still name

	mu    sync.Mutex
	count int
	byID  map[string]*observation
	order []string
}

// maxObservations is how many are remembered: a model that names an older one
// has lost its way.
const maxObservations = 64

// add remembers an observation and returns its id. A frame gets the id too.
func (o *observations) add(x *observation) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count++
	id := fmt.Sprintf("%s-%d", o.prefix, o.count)
	if x.frame != nil {
		x.frame.ID = id
	}
	if o.byID == nil {
		o.byID = map[string]*observation{}
	}
	o.byID[id] = x
	o.order = append(o.order, id)
	for len(o.order) > maxObservations {
		delete(o.byID, o.order[0])
		o.order = o.order[1:]
	}
	return id
}

// get is the observation of a conversation with that id; nil when there is none.
func (o *observations) get(session, id string) *observation {
	o.mu.Lock()
	defer o.mu.Unlock()
	if id == Last {
		return o.last(session, "")
	}
	x := o.byID[id]
	if x == nil || x.session != session {
		return nil
	}
	return x
}

// Last names the newest picture of a whole display that the conversation was
// sent, for the tools of vendors that know no ids of pictures.
const Last = "last"

// last is the newest picture of a whole display, of any where display is empty.
func (o *observations) last(session, display string) *observation {
	for _, id := range slices.Backward(o.order) {
		x := o.byID[id]
		if x.session == session && x.frame != nil && x.frame.Whole() && (display == "" || x.frame.Display == display) {
			return x
		}
	}
	return nil
}

// lastFrame is the newest picture of a whole display; nil when there is none.
func (o *observations) lastFrame(session, display string) *Frame {
	o.mu.Lock()
	defer o.mu.Unlock()
	if x := o.last(session, display); x != nil {
		return x.frame
	}
	return nil
}

func (o *observations) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.byID)
	o.order = nil
}
