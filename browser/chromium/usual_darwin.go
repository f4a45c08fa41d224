package chromium

import "path/filepath"

const exeSuffix = ""

// usual lists where applications lie: all users' and one's own.
func (s Search) usual() (list []string) {
	for _, root := range []string{"/Applications", filepath.Join(s.Getenv("HOME"), "Applications")} {
		for _, app := range []string{"Chromium", "Google Chrome", "Microsoft Edge", "Brave Browser"} {
			list = append(list, filepath.Join(root, app+".app", "Contents", "MacOS", app))
		}
	}
	return list
}
