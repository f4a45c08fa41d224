package agent

// ComputerState tells what is done with the screen, the mouse and the keyboard.
// Not kept. Its event names the session that holds the mouse, none where none
// does.
type ComputerState struct {
	On      bool   `json:"on,omitempty"`      // it is switched on in the settings
	Bar     bool   `json:"bar,omitempty"`     // a strip on the screen says what happens
	Acting  bool   `json:"acting,omitempty"`  // an act runs
	Waiting bool   `json:"waiting,omitempty"` // for a person's hands to rest
	Paused  bool   `json:"paused,omitempty"`
	By      string `json:"by,omitempty"`      // who paused: hotkey, corner, bar, or the surface that it was asked on
	Held    bool   `json:"held,omitempty"`    // a conversation holds the mouse
	Program string `json:"program,omitempty"` // that it last acted on
	Action  string `json:"action,omitempty"`  // that it last did
	Acts    int    `json:"acts,omitempty"`    // of the turn so far
	MaxActs int    `json:"max_acts,omitempty"`
}

// Name implements [Payload].
func (ComputerState) Name() string { return "computer.state" }

func (ComputerState) payload() {}
