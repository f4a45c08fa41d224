// Package oauth signs in to servers of the Model Context Protocol: OAuth 2.1
// with all that the protocol asks of a client.
//
// A [Session] is an [http.RoundTripper] that adds the token of one server to
// the requests to it, and to no others:
//
//	401 ──► metadata of the server ──► of its authorization server ──► refresh
//	        (RFC 9728, resource)       (RFC 8414, issuer)              or sign in
//	403 insufficient_scope ──► sign in once more, for all scopes together
//
// Who has signed in is kept in a [Vault] together with the issuer: nothing that
// one issuer gave is ever sent to another. Where no one can sign in the request
// fails with [ErrLogin].
package oauth
