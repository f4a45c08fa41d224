package confine

// systemDirs is empty: no backend of this system goes by paths.
func systemDirs() []string { return nil }
