package kube

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestTextsOfASecretGoAsData: the texts of a Secret are applied as its data, so that the server knows whose they are. What is wrong
// with a Secret is left for the server to tell, and nothing of it is lost by that.
func TestTextsOfASecretGoAsData(t *testing.T) {
	for text, want := range map[string]string{
		"stringData: {a: x}":                   "apiVersion data kind metadata",
		"data: {b: eA==}\nstringData: {a: x}":  "apiVersion data kind metadata",
		"data: null\nstringData: {a: x}":       "apiVersion data kind metadata",
		"data: {b: eA==}":                      "apiVersion data kind metadata",
		"stringData: {a: 1}":                   "apiVersion kind metadata stringData",
		"data: garbage\nstringData: {a: x}":    "apiVersion data kind metadata stringData",
		"data: [garbage]\nstringData: {a: x}":  "apiVersion data kind metadata stringData",
		"stringData: garbage\ndata: {b: eA==}": "apiVersion data kind metadata stringData",
	} {
		secret := parse(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n"+text)
		if got := strings.Join(slices.Sorted(maps.Keys(sendable(secret).Object)), " "); got != want {
			t.Errorf("%q is sent with %s, want %s", text, got, want)
		}
	}
}
