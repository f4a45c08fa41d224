// Package textfile reads and edits text files without harm: it tells the
// encoding of a file, and changes a span of it while every byte outside the
// span stays.
//
// A file is decoded once ([Decode]); its text is matched and cut as UTF-8, and
// each cut is carried back to the bytes of the file. Nothing is ever decoded
// and encoded again as a whole, so bytes that mean nothing in the encoding, a
// byte order mark, mixed line endings and a missing final newline all survive.
//
// Encodings: UTF-8 with and without mark, UTF-16 with mark, Windows-1252,
// ISO 8859-1, GBK, GB 18030 and Shift-JIS. Without a mark the encoding is a
// judgement by how plausible the bytes are; a wrong judgement shows wrong
// letters but still harms no byte.
package textfile
