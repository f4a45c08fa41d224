// Package win is computer use on Windows by its own functions, without cgo:
// pictures by GDI, input by SendInput, texts as the characters that they are,
// windows by the desktop's list.
//
// The process declares that it knows the scale of each display ([Open] does so
// first): without that Windows tells it units of its own, and a click at 150 %
// would land two thirds of the way.
package win
