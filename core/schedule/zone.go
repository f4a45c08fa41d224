package schedule

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Zone loads a zone by its IANA name; empty is the system's as it is now. The
// rules come from the system where it has them, else from the program itself.
func Zone(name string) (*time.Location, error) {
	name = strings.TrimSpace(name)
	if name == "" || strings.EqualFold(name, "local") || strings.EqualFold(name, "system") {
		return System(), nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, &Error{Zone: true, What: fmt.Sprintf("there is no time zone %q", name), Try: "write an IANA name such as Europe/Berlin, America/New_York or UTC"}
	}
	return loc, nil
}

// System is the zone of the machine, looked up anew each time: a traveller's
// changes while the program runs. Where its name cannot be told it is UTC.
func System() *time.Location {
	for _, name := range []string{strings.TrimPrefix(os.Getenv("TZ"), ":"), linkedZone("/etc/localtime"), fileZone("/etc/timezone"), time.Local.String()} {
		if name == "" || name == "Local" {
			continue
		}
		if loc, err := time.LoadLocation(name); err == nil {
			return loc
		}
	}
	return time.UTC
}

// linkedZone reads the name out of where the link leads, such as
// /usr/share/zoneinfo/Europe/Berlin.
func linkedZone(path string) string {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	_, name, _ := strings.Cut(filepath.ToSlash(to), "zoneinfo/")
	return name
}

func fileZone(path string) string {
	b, err := os.ReadFile(path)
	if err != nil || len(b) > 100 {
		return ""
	}
	return strings.TrimSpace(string(b))
}
