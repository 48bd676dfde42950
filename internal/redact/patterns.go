package redact

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// patterns finds many texts at once. All have at least MinLength bytes, so the first four bytes at
// a place say which can begin there: a small filter turns nearly every place away, a map finds the
// few texts to compare.
//
// An automaton (Aho-Corasick) would be linear also for texts and secrets made to hurt, at the price
// of twenty bytes or more for every byte of every form of every secret. strings.Replacer replaces
// occurrences from left to right and leaves the rest of an overlapping one in place.
type patterns struct {
	texts    []string // sorted, each once
	longest  int
	filter   [1 << 16 / 64]uint64
	byPrefix map[uint32][]string // longest first
}

// span is a part of a text, from inclusive, to exclusive.
type span struct{ from, to int }

func newPatterns(texts []string) *patterns {
	texts = slices.Clone(texts)
	slices.Sort(texts)
	texts = slices.Compact(texts)
	texts = slices.DeleteFunc(texts, func(s string) bool { return len(s) < MinLength })
	p := &patterns{texts: texts, byPrefix: map[uint32][]string{}}
	for _, text := range texts {
		p.longest = max(p.longest, len(text))
		prefix := binary.LittleEndian.Uint32([]byte(text))
		p.byPrefix[prefix] = append(p.byPrefix[prefix], text)
		h := hash(prefix)
		p.filter[h/64] |= 1 << (h % 64)
	}
	for _, candidates := range p.byPrefix {
		slices.SortFunc(candidates, func(a, b string) int { return len(b) - len(a) })
	}
	return p
}

// hash maps four bytes to 16 bits.
func hash(prefix uint32) uint32 { return prefix * 0x9E3779B1 >> 16 }

// find returns where text contains secrets, in order, overlapping ones joined; the first covered
// bytes count as one that was found before.
func (p *patterns) find(text []byte, covered int) []span {
	var spans []span
	end := covered // of the last span
	for i := 0; i+MinLength <= len(text); i++ {
		prefix := binary.LittleEndian.Uint32(text[i:])
		h := hash(prefix)
		if p.filter[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		for _, candidate := range p.byPrefix[prefix] {
			if len(candidate) > len(text)-i || string(text[i:i+len(candidate)]) != candidate {
				continue
			}
			to := i + len(candidate)
			if i < end && len(spans) > 0 {
				spans[len(spans)-1].to = max(end, to)
			} else {
				spans = append(spans, span{i, to})
			}
			end = max(end, to)
			break // shorter ones that begin here are within this one
		}
	}
	return spans
}

// open returns the first place from which on the text could be the beginning of a secret that goes
// on after it, and len(text) when there is none.
func (p *patterns) open(text []byte) int {
	for i := max(0, len(text)-p.longest+1); i < len(text); i++ {
		if p.begins(text[i:]) {
			return i
		}
	}
	return len(text)
}

func (p *patterns) begins(suffix []byte) bool {
	if len(suffix) >= MinLength {
		prefix := binary.LittleEndian.Uint32(suffix)
		h := hash(prefix)
		if p.filter[h/64]&(1<<(h%64)) == 0 {
			return false
		}
		for _, candidate := range p.byPrefix[prefix] {
			if len(candidate) > len(suffix) && candidate[:len(suffix)] == string(suffix) {
				return true
			}
		}
		return false
	}
	// Those that begin with the suffix stand together, from where it would be inserted on.
	at, _ := slices.BinarySearch(p.texts, string(suffix))
	return at < len(p.texts) && strings.HasPrefix(p.texts[at], string(suffix))
}

// ellipsis stands where the rest of a text was cut off.
const ellipsis = "\u2026"

// cut returns where text contains the beginnings of secrets that are cut off, in order: what is that long that it could be
// found, and has an ellipsis behind it.
func (p *patterns) cut(text []byte) []span {
	var spans []span
	for from := 0; ; {
		next := bytes.Index(text[from:], []byte(ellipsis))
		if next < 0 {
			return spans
		}
		at := from + next
		for i := max(from, at-p.longest); i+MinLength <= at; i++ {
			if p.begins(text[i:at]) {
				spans = append(spans, span{i, at})
				break
			}
		}
		from = at + len(ellipsis)
	}
}

// joined returns spans in order, overlapping ones as one.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var all []span
	for _, s := range spans {
		if last := len(all) - 1; last >= 0 && s.from < all[last].to {
			all[last].to = max(all[last].to, s.to)
		} else {
			all = append(all, s)
		}
	}
	return all
}
