package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/webapi"
)

var (
	needsLogin   = &capability.Failure{Code: "needs_login", When: "the page wants a login (status 401)", Try: "tell the user; with their consent open it in the browser tool, where they can log in"}
	forbidden    = &capability.Failure{Code: "forbidden", When: "the server does not give the page to programs, or to nobody (status 403)", Try: "use another source, or open it in the browser tool"}
	pageNotFound = &capability.Failure{Code: "page_not_found", When: "there is no such page (status 404 or 410)", Try: "check the address, or look for the page with web_search"}
	rateLimited  = &capability.Failure{Code: "rate_limited", When: "the server was asked too often (status 429)", Try: "wait before the next request to it, or use another source"}
	serverError  = &capability.Failure{Code: "server_error", When: "the server is out of order (status 500 to 599)", Try: "try once more later, or use another source"}
	badStatus    = &capability.Failure{Code: "bad_status", When: "the server gave no page but another status", Try: "check the address, or use another source"}
	tooSlow      = &capability.Failure{Code: "too_slow", When: "the answer did not begin within 15 seconds or was not whole within 30", Try: "try once more later, or use another source"}
	badCert      = &capability.Failure{Code: "bad_certificate", When: "the server cannot prove who it is", Try: "do not go there; tell the user, and use another source"}
	tooLarge     = &capability.Failure{Code: "too_big", When: "a PDF or picture is larger than 5 MB, so that it cannot be read in part", Try: "download it with a program through the shell tool, then read the file"}
	pastEnd      = &capability.Failure{Code: "past_end", When: "the offset is past the end of the text", Try: "use an offset that the last result named"}
	unreadable   = &capability.Failure{Code: "unreadable", When: "the PDF or picture is damaged, locked or takes too long to read", Try: "use another source for it"}
)

// fetchFailures is every way that web_fetch fails on purpose.
func fetchFailures() []*capability.Failure {
	return append(netguard.Failures(), needsLogin, forbidden, pageNotFound, rateLimited, serverError, badStatus, tooSlow, badCert, tooLarge, pastEnd, unreadable)
}

// statusFailure is what a status says that is no page; nil when it is one.
func statusFailure(resp *http.Response) error {
	host, code := resp.Request.URL.Host, resp.StatusCode
	wait := webapi.RetryAfter(resp.Header, time.Now())
	switch {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusUnauthorized, code == http.StatusProxyAuthRequired:
		return needsLogin.Becausef("%s wants a login for this page (status %d)", host, code)
	case code == http.StatusForbidden, code == http.StatusUnavailableForLegalReasons:
		return forbidden.Becausef("%s does not give this page away (status %d)", host, code)
	case code == http.StatusNotFound, code == http.StatusGone:
		return pageNotFound.Becausef("%s has no such page (status %d)", host, code)
	case code == http.StatusTooManyRequests:
		return waiting(rateLimited, wait, "%s was asked too often (status 429)", host)
	case code >= 500:
		return waiting(serverError, wait, "%s is out of order (status %d)", host, code)
	}
	return badStatus.Becausef("%s answered with status %d instead of a page", host, code)
}

// waiting adds how long the server wants to be left alone.
func waiting(f *capability.Failure, wait time.Duration, format string, args ...any) error {
	if wait == 0 {
		return f.Becausef(format, args...)
	}
	return f.Becausef(format+"; it asks to wait %s", append(args, wait)...).
		With("retry_after_s", int(wait.Seconds())).Trying("wait " + wait.String() + " before the next request to it, or use another source")
}

// reachFailure is what a request without an answer means.
func reachFailure(ctx context.Context, at *url.URL, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if u, ok := capability.AsUserError(err); ok { // of the guard
		return u
	}
	if slow, ok := errors.AsType[net.Error](err); ok && slow.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return tooSlow.Becausef("%s took too long to answer", at.Host)
	}
	var (
		verify  *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &verify):
		return badCert.Becausef("the certificate of %s does not hold: %v", at.Host, verify.Err)
	case errors.As(err, &unknown):
		return badCert.Becausef("the certificate of %s is of no authority that is known", at.Host)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return badCert.Becausef("%s does not speak https at this address", at.Host)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return netguard.Unreachable.Becausef("%s was not reached: %s", at.Host, capability.CutText(err.Error(), 200))
}
