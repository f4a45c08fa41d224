// Package version is the program's version, in one place. A test keeps
// FyneApp.toml and the packaging in step with it.
package version

// Version is the release, as semantic versioning writes it.
const Version = "0.1.0"
