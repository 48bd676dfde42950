package sops

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// metadataKey is where SOPS keeps its own data in a file.
const metadataKey = "sops"

// metadata is what SOPS says about a file.
type metadata struct {
	age           []wrappedKey
	mac           string
	modified      string // as written: it is the additional data of the MAC
	onlyEncrypted bool   // only encrypted values count for the MAC
	encrypts      func(place) bool
}

// wrappedKey is the key of the values, encrypted for somebody.
type wrappedKey struct{ recipient, enc string }

// others are the ways to encrypt the key that are not read, and what they are called.
func others() map[string]string {
	return map[string]string{
		"pgp": "PGP", "kms": "AWS KMS", "gcp_kms": "GCP KMS", "hckms": "Huawei Cloud KMS", "azure_kv": "Azure Key Vault", "hc_vault": "HashiCorp Vault",
	}
}

// extract takes SOPS' own data out of a document.
func extract(root *node) (metadata, error) {
	own := root.children[metadataKey]
	if own == nil || own.children == nil {
		return metadata{}, errors.New("the file is not encrypted with SOPS: it has no key \"sops\" at its top")
	}
	delete(root.children, metadataKey)
	root.keys = slices.DeleteFunc(root.keys, func(key string) bool { return key == metadataKey })
	m := metadata{mac: own.text("mac"), modified: own.text("lastmodified")}
	if groups := own.children["key_groups"]; groups != nil && len(groups.list) > 0 {
		return m, errors.New("its key is split over groups of keys (Shamir's secret sharing), which is not supported: encrypt it with one group, for age")
	}
	if list := own.children["age"]; list != nil {
		for _, entry := range list.list {
			if key := (wrappedKey{entry.text("recipient"), entry.text("enc")}); key.recipient != "" && key.enc != "" {
				m.age = append(m.age, key)
			}
		}
	}
	if len(m.age) == 0 {
		return m, noAge(own)
	}
	m.onlyEncrypted = own.flag("mac_only_encrypted")
	var err error
	m.encrypts, err = rule(own)
	return m, err
}

// noAge says what a file is encrypted for instead.
func noAge(own *node) error {
	var names []string
	for key, name := range others() {
		if list := own.children[key]; list != nil && len(list.list) > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return errors.New("the file does not say whom it is encrypted for")
	}
	slices.Sort(names)
	return fmt.Errorf("it is encrypted for %s only, which is not supported: add an age recipient to it with sops updatekeys", strings.Join(names, ", "))
}

// rule returns which values are encrypted.
func rule(own *node) (func(place) bool, error) {
	for _, key := range []string{"encrypted_comment_regex", "unencrypted_comment_regex"} {
		if own.text(key) != "" {
			return nil, fmt.Errorf("comments say what of it is encrypted (%s), which is not supported: use a rule about keys, such as encrypted_regex", key)
		}
	}
	var rules []func(place) bool
	add := func(key string, encrypted bool, matcher func(text string) (func(string) bool, error)) error {
		text := own.text(key)
		if text == "" {
			return nil
		}
		matches, err := matcher(text)
		if err != nil {
			return fmt.Errorf("its %s is no regular expression", key)
		}
		rules = append(rules, func(p place) bool { return slices.ContainsFunc(p, matches) == encrypted })
		return nil
	}
	suffix := func(text string) (func(string) bool, error) {
		return func(key string) bool { return strings.HasSuffix(key, text) }, nil
	}
	pattern := func(text string) (func(string) bool, error) {
		compiled, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		return compiled.MatchString, nil
	}
	if err := errors.Join(
		add("unencrypted_suffix", false, suffix), add("encrypted_suffix", true, suffix),
		add("unencrypted_regex", false, pattern), add("encrypted_regex", true, pattern),
	); err != nil {
		return nil, err
	}
	switch len(rules) {
	case 0:
		return func(p place) bool {
			return !slices.ContainsFunc(p, func(key string) bool { return strings.HasSuffix(key, "_unencrypted") })
		}, nil
	case 1:
		return rules[0], nil
	default:
		return nil, errors.New("it has several rules about what of it is encrypted")
	}
}

// text returns a text of a mapping, "" without.
func (n *node) text(key string) string {
	child := n.children[key]
	if child == nil {
		return ""
	}
	text, _ := child.scalar.(string)
	return text
}

// flag returns a truth value of a mapping, which is a text in a file of lines.
func (n *node) flag(key string) bool {
	child := n.children[key]
	if child == nil {
		return false
	}
	is, _ := child.scalar.(bool)
	return is || child.scalar == "true" || child.scalar == "True"
}
