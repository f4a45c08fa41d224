// Package tool is the browser as one capability.
//
//	call ─► form checked ─► preview: which page, which element, what would be sent ─► asked or not
//	     ─► the same looked up again ─► done to the tab ─► receipt: where it is now, what happened
//
// Two ideas hold it. What a call does is told by the element that it is done to,
// not by its name: a click on a link looks further, a click on a button sends
// something, and the person is asked with both named. And what comes back is a
// page's word: it is framed as data, and what happened by itself (tabs, dialogs,
// downloads, errors) is told with every result.
//
// The browser itself is package browser; reading and working a page is package
// browser/page.
package tool
