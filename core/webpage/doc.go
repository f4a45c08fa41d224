// Package webpage makes what a web server sends into text that a model can
// read: the character encoding is told, the main article is found, and HTML
// becomes Markdown.
//
// What a person who looks at the page would not see is not in the result: an
// instruction that a page hides from its readers does not reach the model.
// The finding of the article and the Markdown are libraries' work; this package
// decides what they are given and what counts when they find nothing.
package webpage
