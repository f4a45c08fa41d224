package agent

import "github.com/hobkin/hobkin/core/capability"

// OneSend is why a second message of one step is not sent: the first may
// already have said it, and people are not to be flooded.
var OneSend = &capability.Failure{Code: "one_send", When: "another call of the same answer sends a message already", Try: "read how the first went, then send the other in an answer of its own, if it is still needed"}

// oneSend refuses all messages of a step but the first.
func (r *run) oneSend(reqs []capability.Request) {
	first := ""
	for i := range reqs {
		c, ok := r.Registry.Find(reqs[i].Name)
		switch {
		case !ok || !c.Hints.Sends || reqs[i].Refused != nil:
		case first == "":
			first = c.Name
		default:
			reqs[i].Refused = OneSend.Becausef("%s was called beside %s, and one answer sends one message at most", c.Name, first)
		}
	}
}
