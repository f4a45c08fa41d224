package chromium

import "path/filepath"

const exeSuffix = ".exe"

// usual lists where installers put browsers: for all users, and for one.
func (s Search) usual() (list []string) {
	for _, root := range []string{"PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"} {
		dir := s.Getenv(root)
		if dir == "" {
			continue
		}
		for _, app := range []string{`Chromium\Application\chrome.exe`, `Google\Chrome\Application\chrome.exe`, `Microsoft\Edge\Application\msedge.exe`, `BraveSoftware\Brave-Browser\Application\brave.exe`} {
			list = append(list, filepath.Join(dir, app))
		}
	}
	return list
}
