package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// The notes that stand in a history for what is not there.
const (
	noteInterrupted = "interrupted: the call did not come to its end, and what it did is not known"
	noteBlind       = "[a picture was left out: this model cannot see pictures]"
	noteFormat      = "[a picture was left out: its format is not one that models take]"
	noteBeginning   = "[the beginning of this conversation is not here]"
	noteGoOn        = "Go on."
	noteNoOutput    = "(no output)"
)

const (
	maxCallID   = 64
	maxToolName = 64
)

// Normalize returns the history as every interface takes it, so that no stored
// session can become unusable, whatever was lost of it:
//
//   - it begins with a user's message, and roles follow each other rightly:
//     user, assistant, then tool if and only if the assistant called, and so on;
//     the last message is never the assistant's;
//   - each call has one result right behind it: one that is missing is a failed,
//     interrupted one; results without their call are dropped;
//   - ids of calls are unique and at most 64 bytes, names of tools are words, and
//     arguments are a JSON object;
//   - empty parts, reasoning of other providers, and reasoning with nothing
//     behind it are dropped; all text is valid UTF-8;
//   - pictures that info's model cannot take are text notes, and those in tool
//     results follow in a user's message where results cannot carry them.
//
// The parts of history are not changed. Normalizing twice changes nothing more.
func Normalize(history []Message, info Info) []Message {
	n := normalizer{info: info, used: map[string]bool{}, results: map[string][]placed{}}
	n.index(history)
	for i, m := range history {
		n.message(i, m)
	}
	n.flush()
	return n.end()
}

// A placed result knows which message it came in.
type placed struct {
	at     int
	result ToolResult
}

type normalizer struct {
	info    Info
	used    map[string]bool     // ids of calls so far
	results map[string][]placed // by the id that they name, not yet used
	out     []Message

	// The assistant's message under way, with its results.
	parts   []Part
	answers []Part
	moved   []Part // pictures of the answers
}

// index finds the results, which may stand far from their calls.
func (n *normalizer) index(history []Message) {
	for i, m := range history {
		for _, p := range m.Parts {
			if r, ok := p.(ToolResult); ok {
				n.results[r.CallID] = append(n.results[r.CallID], placed{i, r})
			}
		}
	}
}

// message sorts the parts of one message into the history, by what they are.
func (n *normalizer) message(at int, m Message) {
	if m.Role == RoleAssistant && len(n.answers) > 0 {
		n.flush() // what is said after results is another message
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case Text:
			n.text(m.Role, p)
		case Image:
			n.flush()
			n.picture(p)
		case Reasoning:
			n.reasoning(p)
		case ToolCall:
			n.call(at, p)
		case ToolResult: // taken by its call
		}
	}
}

func (n *normalizer) text(role Role, p Text) {
	p.Text = strings.ToValidUTF8(p.Text, "\uFFFD")
	if strings.TrimSpace(p.Text) == "" {
		return
	}
	if role != RoleAssistant {
		n.flush()
		n.add(RoleUser, p)
		return
	}
	n.parts = append(n.parts, p)
}

func (n *normalizer) reasoning(p Reasoning) {
	if p.Provider != n.info.Provider || p.Text == "" && p.Signature == "" && p.Encrypted == "" && len(p.Block) == 0 {
		return
	}
	p.Text = strings.ToValidUTF8(p.Text, "\uFFFD")
	n.parts = append(n.parts, p)
}

// call adds a call with the result that came for it later in the history.
func (n *normalizer) call(at int, p ToolCall) {
	result := n.take(at, p)
	p.ID = n.unique(p.ID)
	p.Name = toolName(p.Name)
	p.Args = wireArgs(p.Args)
	n.parts = append(n.parts, p)

	result.CallID, result.Name = p.ID, p.Name
	result.Text = strings.ToValidUTF8(result.Text, "\uFFFD")
	n.pictures(&result)
	if strings.TrimSpace(result.Text) == "" {
		result.Text = "" // interfaces refuse a text of blanks
		if len(result.Images) == 0 {
			result.Text = noteNoOutput
		}
	}
	n.answers = append(n.answers, result)
}

// take finds the result of a call that came in message at. Where an id was used
// twice, each call has the first result after it.
func (n *normalizer) take(at int, call ToolCall) ToolResult {
	list := n.results[call.ID]
	for i, r := range list {
		if r.at < at || call.ID == "" && r.result.Name != call.Name {
			continue
		}
		n.results[call.ID] = slices.Delete(slices.Clone(list), i, i+1)
		return r.result
	}
	return ToolResult{Text: noteInterrupted, Failed: true}
}

// unique makes an id that no call before has.
func (n *normalizer) unique(id string) string {
	if len(id) > maxCallID || strings.ToValidUTF8(id, "") != id {
		sum := sha256.Sum256([]byte(id))
		id = "call_" + hex.EncodeToString(sum[:16])
	}
	if id == "" {
		id = "call"
	}
	free := id
	for i := 2; n.used[free]; i++ {
		suffix := "_" + strconv.Itoa(i)
		free = id[:min(len(id), maxCallID-len(suffix))] + suffix
	}
	n.used[free] = true
	return free
}

// toolName makes a word of what a model took for a name: an interface refuses
// the whole history for one that is none.
func toolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z') {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), maxToolName)]
}

// wireArgs makes a JSON object of arguments. What cannot be mended is {}: the
// failed result tells the model what was wrong.
func wireArgs(args string) string {
	const empty, most = "{}", 256 << 10
	if isObject(args) {
		return args
	}
	if len(args) > most {
		return empty
	}
	mended, _, err := capability.RepairArgs(json.RawMessage(strings.ToValidUTF8(args, "\uFFFD")), nil)
	if err != nil || !isObject(string(mended)) {
		return empty
	}
	return string(mended)
}

func isObject(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "{") && json.Valid([]byte(s)) && strings.ToValidUTF8(s, "") == s
}

// picture adds a picture that the user sent.
func (n *normalizer) picture(p Image) {
	kept, note := n.image(p)
	if note != "" {
		n.add(RoleUser, Text{note})
		return
	}
	n.add(RoleUser, kept)
}

// image returns the picture with its right type, or the note that stands for it.
func (n *normalizer) image(p Image) (kept Image, note string) {
	mime, ok := pictureType(p.Data)
	switch {
	case !ok:
		return Image{}, noteFormat
	case !n.info.Images:
		return Image{}, noteBlind
	}
	return Image{MIME: mime, Data: p.Data}, ""
}

// pictureType is the type that the bytes say. Interfaces refuse a picture whose
// stated type is another.
func pictureType(data []byte) (string, bool) {
	mime := http.DetectContentType(data[:min(len(data), 512)])
	return mime, slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime)
}

// pictures keeps, notes or moves the pictures of a result.
func (n *normalizer) pictures(r *ToolResult) {
	images := r.Images
	r.Images = nil
	var moved []Part
	for _, img := range images {
		kept, note := n.image(img)
		switch {
		case note != "":
			r.Text = strings.TrimPrefix(r.Text+"\n"+note, "\n")
		case n.info.ToolResultImages:
			r.Images = append(r.Images, kept)
		default:
			moved = append(moved, kept)
		}
	}
	if len(moved) > 0 {
		n.moved = append(n.moved, Text{"Pictures from the result of " + r.Name + " (" + r.CallID + "):"})
		n.moved = append(n.moved, moved...)
		if strings.TrimSpace(r.Text) == "" {
			r.Text = "(the pictures follow in the next message)"
		}
	}
}

// flush puts the assistant's message under way into the history.
func (n *normalizer) flush() {
	parts := trimReasoning(n.parts)
	if len(parts) > 0 {
		n.add(RoleAssistant, parts...)
	}
	if len(n.answers) > 0 {
		n.add(RoleTool, n.answers...)
	}
	if len(n.moved) > 0 {
		n.add(RoleUser, n.moved...)
	}
	n.parts, n.answers, n.moved = nil, nil, nil
}

// trimReasoning drops reasoning that nothing follows.
func trimReasoning(parts []Part) []Part {
	for len(parts) > 0 {
		if _, ok := parts[len(parts)-1].(Reasoning); !ok {
			break
		}
		parts = parts[:len(parts)-1]
	}
	return parts
}

// add puts parts into the last message when it has the role, else into a new one.
func (n *normalizer) add(role Role, parts ...Part) {
	if last := len(n.out) - 1; last >= 0 && n.out[last].Role == role {
		n.out[last].Parts = append(n.out[last].Parts, parts...)
		return
	}
	if len(n.out) == 0 && role != RoleUser {
		n.out = append(n.out, Message{Role: RoleUser, Parts: []Part{Text{noteBeginning}}})
	}
	n.out = append(n.out, Message{Role: role, Parts: slices.Clone(parts)})
}

// end makes sure that it is the model's turn.
func (n *normalizer) end() []Message {
	if last := len(n.out) - 1; last >= 0 && n.out[last].Role == RoleAssistant {
		n.add(RoleUser, Text{noteGoOn})
	}
	return n.out
}
