package diag

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// line is a line of source to show.
type line struct {
	number   int
	text     string
	from, to int // bytes of text that belong to the subject; equal when none does, but see marked
	marked   bool
}

// excerpt returns the lines to show for a diagnostic: where its context begins, where its subject
// begins, and where a subject of several lines ends. It returns none when the source cannot be the
// one that the diagnostic was made from.
func excerpt(source []byte, d Diagnostic) []line {
	start, ok := offset(source, d.Subject.Start)
	if !ok {
		return nil
	}
	end, ok := offset(source, d.Subject.End)
	if !ok || end < start {
		end = start
	}
	var lines []line
	if d.Context != nil && d.Context.File == d.Subject.File && d.Context.Start.Line < d.Subject.Start.Line {
		if at, ok := offset(source, d.Context.Start); ok && at < start {
			from, to := around(source, at)
			lines = append(lines, line{number: d.Context.Start.Line, text: string(source[from:to])})
		}
	}
	from, to := around(source, start)
	first := line{number: d.Subject.Start.Line, text: string(source[from:to]), from: start - from, to: min(end, to) - from, marked: true}
	first.to = max(first.to, first.from) // the subject may be the line's end itself
	if d.HideAfter {
		first.text = first.text[:first.to] + " …"
		return append(lines, first)
	}
	lines = append(lines, first)

	// A subject that ends with a newline does not reach into the next line.
	if end > to && d.Subject.End.Line > d.Subject.Start.Line {
		if from, to := around(source, end); end > from {
			indent := len(source[from:to]) - len(bytes.TrimLeft(source[from:to], " \t"))
			lines = append(lines, line{
				number: d.Subject.End.Line, text: string(source[from:to]),
				from: min(indent, end-from), to: min(end, to) - from, marked: true,
			})
		}
	}
	return lines
}

// offset returns the place in bytes. Of a place without one, as formats give it that count lines and
// columns only, it is computed.
func offset(source []byte, pos Pos) (int, bool) {
	if pos.Byte > 0 || pos.Line <= 1 && pos.Column <= 1 {
		return pos.Byte, pos.Byte >= 0 && pos.Byte <= len(source)
	}
	at := 0
	for range pos.Line - 1 {
		n := bytes.IndexByte(source[at:], '\n')
		if n < 0 {
			return 0, false
		}
		at += n + 1
	}
	_, end := around(source, at)
	for range pos.Column - 1 {
		if at >= end {
			break
		}
		_, size := utf8.DecodeRune(source[at:end])
		at += size
	}
	return at, true
}

// around returns where the line of a place begins and ends, without its line break.
func around(source []byte, at int) (from, to int) {
	from = bytes.LastIndexByte(source[:at], '\n') + 1
	to = len(source)
	if n := bytes.IndexByte(source[at:], '\n'); n >= 0 {
		to = at + n
	}
	if to > from && source[to-1] == '\r' && to > at {
		to--
	}
	return from, to
}

// maxLine bounds the bytes of a line that are looked at on either side of the subject, so that a
// file of one enormous line costs nothing.
const maxLine = 4096

// layout returns the line as a terminal can show it in at most width columns, how many columns
// stand before the subject, and how many it takes; none when there is nothing to mark.
func (l line) layout(width int) (text string, pad, marked int) {
	head, subject, tail := clipLeft(l.text[:l.from], maxLine), clipRight(l.text[l.from:l.to], maxLine), clipRight(l.text[l.to:], maxLine)
	// Tabs end at columns of the line, so cells are made for all of it at once.
	var cells []cell
	cells, column := appendCells(cells, head, 0)
	before := len(cells)
	cells, column = appendCells(cells, subject, column)
	after := len(cells)
	cells, _ = appendCells(cells, tail, column)

	from, to := window(cells, before, after, width)
	var b strings.Builder
	column = 0
	write := func(c cell) {
		b.WriteString(c.text)
		column += c.width
	}
	if from > 0 || len(head) < l.from {
		write(cell{"…", 1})
	}
	for i := from; i < to; i++ {
		if i == before {
			pad = column
		}
		write(cells[i])
		if i >= before && i < after {
			marked += cells[i].width
		}
	}
	if before >= to {
		pad = column
	}
	if to < len(cells) || len(tail) < len(l.text)-l.to {
		write(cell{"…", 1})
	}
	if l.marked {
		marked = max(marked, 1)
	}
	return b.String(), pad, marked
}

// window chooses the cells to show: all when they fit, else from a little before the subject on.
func window(cells []cell, before, after, width int) (from, to int) {
	total := 0
	for _, c := range cells {
		total += c.width
	}
	if total <= width {
		return 0, len(cells)
	}
	width -= 2 // for the ellipses
	subject := 0
	for _, c := range cells[before:after] {
		subject += c.width
	}
	from, to = before, before
	// What is left of the width after the subject goes to both sides, the left one first up to a
	// third: what follows tells more.
	left := max(width/10, (width-subject)/3)
	used := 0
	for from > 0 && used+cells[from-1].width <= left {
		from--
		used += cells[from].width
	}
	for to < len(cells) && used+cells[to].width <= width {
		used += cells[to].width
		to++
	}
	for from > 0 && used+cells[from-1].width <= width { // the right side did not need its part
		from--
		used += cells[from].width
	}
	return from, to
}

// clipLeft keeps the last n bytes, clipRight the first n, both of whole characters.
func clipLeft(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

func clipRight(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
