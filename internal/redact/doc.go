// Package redact keeps secrets out of what people and programs may read.
//
// A [Secret] holds a value that no way of printing or encoding shows: every one gives [Mask]. Only
// Reveal returns the value, so a search for that word finds every place where secrets are used. It
// cannot be decoded from JSON or text either, so a mask that was written somewhere is never
// mistaken for a value. A [Masked] is text that may be shown. It is a type of its own, and there is
// no way back: what has been masked cannot be applied.
//
// A [Masker] knows the secrets of a process and removes them from texts that come from elsewhere,
// such as logs and error messages, with [Masker.Text] and [Masker.Writer]. It finds a value also in
// base64 (standard and URL alphabet, alone or within a longer text that was encoded as a whole) and
// with the escapes of URLs, JSON, Go, HCL, YAML and shells, and it finds the longer lines of a value
// that has several. Every byte that belongs to an occurrence of any secret is removed; overlapping
// occurrences become one mask.
//
// What it cannot do:
//   - Values shorter than [MinLength], white space at their ends aside, are not removed: they occur
//     everywhere by chance, and masking each occurrence would spell them out. Masker.Add returns
//     how many it left out.
//   - A part of a value is not recognised, so mask before cutting a text. Masker.Text knows the beginning of one that has
//     MinLength or more and an ellipsis behind it, for texts that others have cut, and for those that [Bounded] has.
//   - Other encodings, base64 broken into lines, and a value encoded twice (but for JSON within
//     JSON) pass. Of a value within a longer base64 text, up to four bits of its first and last
//     byte can remain.
//
// A [Digester] gives values a name by which they can be compared in the open.
//
// The package does no input or output of its own, and logs nothing.
package redact
