package capability

import (
	"fmt"
	"regexp"
	"strings"
)

// A Reason says what is wrong with a part of an agent.
type Reason string

// The reasons.
const (
	BadID          Reason = "bad_id"           // it does not follow the grammar, see [ValidID]
	ReservedID     Reason = "reserved_id"      // it begins as only the program's own do
	DuplicateID    Reason = "duplicate_id"     // two parts have it, also by another name of the same
	ShadowsBuiltIn Reason = "shadows_builtin"  // it is that of a part that the program has already
	NoTools        Reason = "no_tools"         // a definition without any
	BlankText      Reason = "blank_text"       // a name, a description or instructions without a letter in them
	BadTool        Reason = "bad_tool"         // a tool whose name or types cannot be used
	DuplicateTool  Reason = "duplicate_tool"   // a tool's name is taken
	NoApprover     Reason = "no_approver"      // a tool needs an agreement and nobody can give it
	ConfigNoObject Reason = "config_no_object" // the configuration is no JSON object
	ConfigRefused  Reason = "config_refused"   // what it is for does not take it
	BadMetadata    Reason = "bad_metadata"     // it is no JSON object
	NoModel        Reason = "no_model"         // nobody answers
	NotHere        Reason = "not_here"         // a built-in that an agent of this kind has not
	NotAPart       Reason = "not_a_part"       // neither a definition nor a reference
)

// An InvalidError says which part of an agent is wrong, and why. Several of
// them come joined.
type InvalidError struct {
	ID     string // of the definition or reference; the name, for a single tool
	Tool   string // where it is about one tool of several
	Reason Reason
	Detail string // a sentence
}

// Error is the part with what is wrong with it.
func (e *InvalidError) Error() string {
	where := fmt.Sprintf("capability %q", CutText(e.ID, maxID))
	if e.Tool != "" && e.Tool != e.ID {
		where += fmt.Sprintf(", tool %q", CutText(e.Tool, maxID))
	}
	return fmt.Sprintf("%s: %s (%s)", where, e.Detail, e.Reason)
}

func invalid(id string, reason Reason, format string, args ...any) *InvalidError {
	return &InvalidError{ID: id, Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// of names the tool.
func (e *InvalidError) of(tool string) *InvalidError {
	e.Tool = tool
	return e
}

// maxID is the longest id, in bytes.
const maxID = 128

var idRE = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]*$`)

// ValidID reports whether id may name a definition: 1 to 128 letters, digits,
// _, -, . or :, and a letter or _ first.
func ValidID(id string) bool { return len(id) <= maxID && idRE.MatchString(id) }

// reserved are the beginnings of ids that only the program itself gives.
var reserved = []string{"hobkin.", "hobkin:", "mcp:", "plugin:", "skill:"}

// checkID reports what is wrong with an id.
func checkID(id string) *InvalidError {
	if !ValidID(id) {
		return invalid(id, BadID, "an id is 1 to %d letters, digits, _, -, . or :, and a letter or _ first", maxID)
	}
	for _, prefix := range reserved {
		if strings.HasPrefix(strings.ToLower(id), prefix) {
			return invalid(id, ReservedID, "ids that begin with %s are the program's own", prefix)
		}
	}
	return nil
}
