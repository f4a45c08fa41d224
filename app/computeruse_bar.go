package app

import (
	"github.com/hobkin/hobkin/app/words"
	"github.com/hobkin/hobkin/computeruse"
)

// barWords are what the strip on the screen says, in the language of the window.
func (c *Core) barWords() computeruse.Words {
	w := words.In(c.cfg.Load().Desktop.Language)
	return computeruse.Words{
		Using: w.L("Hobkin is using {{.Program}}", "Program", "%s"), Waiting: w.L("Hobkin waits for you"),
		Paused: w.L("Hobkin is paused"), Pause: w.L("Pause"),
	}
}
