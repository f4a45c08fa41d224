package setup

import (
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

// ComputerStatus is how the use of the screen stands, in words.
func ComputerStatus(c control.Computer) (say.Phrase, Mood) {
	switch {
	case c.Helper.Path == "" && c.Helper.CanGet:
		return say.P("The native helper is missing. It can be fetched and checked here"), Ask
	case c.Helper.Path == "":
		return say.P("The native helper is missing. It comes with the packages of Hobkin"), Bad
	case !c.Enabled:
		return say.P("Switched off"), Quiet
	case c.Paused:
		return say.P("Paused"), Ask
	case c.Session != "" && c.Program != "":
		return say.P("In use: {{.Program}} · act {{.N}} of {{.Most}}", "Program", c.Program, "N", c.Acts, "Most", c.MaxActs), Good
	case c.Session != "":
		return say.P("In use"), Good
	case c.Missing != "":
		return say.P("Does not work: {{.Reason}}", "Reason", short(c.Missing)), Bad
	case c.Blind:
		return say.P("The model cannot see pictures: choose one that does"), Bad
	case c.LookOnly:
		return say.P("Ready to look. The sandbox is strict, so that nothing is clicked or typed"), Ask
	}
	return say.P("Ready"), Good
}

// PartName is what the helper can do, in words.
func PartName(part string) say.Phrase {
	switch part {
	case "capture":
		return say.P("See the screen")
	case "pointer":
		return say.P("Move and click the mouse")
	case "text":
		return say.P("Type text")
	case "keys":
		return say.P("Press keys")
	case "elements":
		return say.P("Read buttons and fields")
	case "windows":
		return say.P("Tell the windows")
	case "person":
		return say.P("Tell your hands from its own")
	case "bar":
		return say.P("Show the bar on the screen")
	case "hotkey":
		return say.P("Hear the keys that pause")
	}
	return say.Raw(part)
}

// vital are the parts without which nothing works.
var vital = map[string]bool{"capture": true, "pointer": true, "text": true, "keys": true}

// PartStatus is whether a part works, in words, with what to do.
func PartStatus(p control.ComputerPart) (say.Phrase, Mood) {
	if p.Works {
		return say.P("{{.Part}}: works", "Part", PartName(p.Name)), Good
	}
	why := strings.Join(strings.Fields(p.Reason+" "+p.Fix), " ")
	mood := Ask
	if vital[p.Name] {
		mood = Bad
	}
	return say.P("{{.Part}}: {{.Reason}}", "Part", PartName(p.Name), "Reason", why), mood
}

// DisplayText says how large a screen is.
func DisplayText(d control.ComputerDisplay) say.Phrase {
	return say.P("Display {{.Name}}: {{.W}}×{{.H}} pixels, at {{.N}} %", "Name", d.Name, "W", d.Width, "H", d.Height, "N", int(d.Scale*100+0.5))
}

// CourtesyText says how much room a person is left.
func CourtesyText(c control.Computer) say.Phrase {
	return say.P("It waits until your hands have rested for {{.Seconds}} s, and acts at most {{.N}} times a turn",
		"Seconds", say.Number(strconv.FormatFloat(float64(c.CourtesyIdleMS)/1000, 'f', -1, 64)), "N", c.MaxActs)
}

// PauseText says how one pauses.
func PauseText(c control.Computer) say.Phrase {
	switch {
	case c.Hotkey != "" && c.Corner:
		return say.P("{{.Keys}} pauses, and so does the mouse in a corner of the screen", "Keys", c.Hotkey)
	case c.Hotkey != "":
		return say.P("{{.Keys}} pauses", "Keys", c.Hotkey)
	case c.Corner:
		return say.P("The mouse in a corner of the screen pauses")
	}
	return say.P("Only the tray and /pause pause it")
}

// AimText says how the main model sees the screen.
func AimText(c control.Computer) say.Phrase {
	if c.Coordinates == "thousandths" {
		return say.P("{{.Model}} names places by thousandths of a picture of at most {{.N}} pixels", "Model", c.Model, "N", c.LongEdge)
	}
	return say.P("{{.Model}} names places by the pixels of a picture of at most {{.N}}", "Model", c.Model, "N", c.LongEdge)
}

// AimResult says what a test of the aim found.
func AimResult(r control.Calibration) say.Phrase {
	off := say.Number(strconv.FormatFloat(r.Off, 'f', 0, 64))
	if r.Saved {
		return say.P("It points otherwise than was set: that was changed. It is off by {{.N}} pixels", "N", off)
	}
	return say.P("It points as it is set, and is off by {{.N}} pixels", "N", off)
}

// LookText says what a picture of the screen is.
func LookText(l control.ComputerLook) say.Phrase {
	return say.P("{{.W}}×{{.H}} pixels of {{.PW}}×{{.PH}}, in {{.MS}} ms", "W", l.Width, "H", l.Height, "PW", l.Physical[0], "PH", l.Physical[1], "MS", l.TookMS)
}

// Courtesy reads what a person wrote of the room that they want.
func Courtesy(idle, acts, edge string) (ms, most, long int, err error) {
	seconds, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(idle), ",", "."), 64)
	if err != nil || seconds < 0 || seconds > 60 {
		return 0, 0, 0, say.Err("The rest is a number of seconds from 0 to 60")
	}
	if most, err = strconv.Atoi(strings.TrimSpace(acts)); err != nil || most < 1 || most > 1000 {
		return 0, 0, 0, say.Err("The acts of a turn are a number from 1 to 1000")
	}
	if long, err = strconv.Atoi(strings.TrimSpace(edge)); err != nil || long < 64 || long > 8192 {
		return 0, 0, 0, say.Err("The longer side is a number of pixels from 64 to 8192")
	}
	return int(seconds * 1000), most, long, nil
}
