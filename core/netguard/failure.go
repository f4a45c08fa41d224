package netguard

import "github.com/hobkin/hobkin/core/capability"

// The ways an address is refused or cannot be reached. Each message names the
// host, what is wrong with it and what would help.
var (
	BadURL           = &capability.Failure{Code: "bad_url", When: "the text is no address of the web", Try: "give a whole address, such as https://example.org/page"}
	BadScheme        = &capability.Failure{Code: "bad_scheme", When: "the address is of a kind that is not opened", Try: "use an http or https address"}
	CredentialsInURL = &capability.Failure{Code: "credentials_in_url", When: "the address holds a user name or a password", Try: "leave out what stands before the @"}
	BlockedAddress   = &capability.Failure{Code: "blocked_address", When: "the host is this machine, an internal network or another address that is not public", Try: "use a public address; only the owner can open a host of their own, in the settings under [net] allow_hosts"}
	BlockedPort      = &capability.Failure{Code: "blocked_port", When: "the port is neither 80 nor 443", Try: "use the usual port; only the owner can open another one, in the settings under [net] allow_hosts"}
	NotFound         = &capability.Failure{Code: "not_found", When: "no host has that name", Try: "check the spelling of the host"}
	Unreachable      = &capability.Failure{Code: "unreachable", When: "the host does not answer or turns the connection down", Try: "try again later, or use another source"}
	TooManyRedirects = &capability.Failure{Code: "too_many_redirects", When: "the address leads on to others without an end", Try: "open the address that it should lead to"}
	RefusedRedirect  = &capability.Failure{Code: "refused_redirect", When: "the address leads to another host, which must not get what was meant for the first", Try: "give the last address itself, if its owner may have what is sent"}
)

// Failures lists every way that a [Guard] fails on purpose, for the docs of
// tools that use one.
func Failures() []*capability.Failure {
	return []*capability.Failure{BadURL, BadScheme, CredentialsInURL, BlockedAddress, BlockedPort, NotFound, Unreachable, TooManyRedirects, RefusedRedirect}
}
