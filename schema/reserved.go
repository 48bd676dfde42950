package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
)

// What our marks are made of, see the driver of OpenStack. A mark that the configuration writes over is
// lost, and the object with it.
const (
	// MarkPrefix begins every mark, whatever of an object holds it.
	MarkPrefix = "kupenstack:"
	// KeyPrefix begins the metadata keys and properties that we keep for ourselves.
	KeyPrefix = "kupenstack_"
	// markLength is that of a mark at the end of a description, with the blank before it: [kupenstack:uid.sum].
	markLength = 47
)

// checkText checks a description of a kind whose service takes no more than longestText, our mark at its end included.
func checkText(s string) error {
	if utf8.RuneCountInString(s) > longestText-markLength {
		return fmt.Errorf("a text of at most %d characters, as our mark follows it, and OpenStack takes %d in all", longestText-markLength, longestText)
	}
	return nil
}

// markEnd is how a description ends that has a mark.
var markEnd = regexp.MustCompile(`\[` + MarkPrefix + `[^\]\s]+\]$`)

// BaseProperty tells whether an image of Glance has a member of that name by itself, so that it cannot be
// one of the properties.
func BaseProperty(key string) bool {
	return strings.HasPrefix(key, "os_hash_") || strings.HasPrefix(key, "os_glance_") || slices.Contains([]string{
		"id", "name", "status", "tags", "container_format", "disk_format", "created_at", "updated_at", "size", "virtual_size",
		"visibility", "locations", "self", "min_disk", "min_ram", "protected", "file", "checksum", "owner", "os_hidden",
		"schema", "direct_url", "stores",
	}, key)
}

// markedRules are those of the kinds of Neutron, which keep the mark in the description.
func markedRules() []Rule { return []Rule{descriptionRule(), tagsRule(), casedTagsRule()} }

func tagsRule() Rule {
	return eachTag("No tag begins with "+MarkPrefix+", as our marks do.", func(tag string) (says, hint string) {
		if !strings.HasPrefix(tag, MarkPrefix) {
			return "", ""
		}
		return "must not have a tag that begins with \"" + MarkPrefix + "\": so do our marks, by which we know the object again", "write another word"
	})
}

// casedTagsRule is about tags that most databases of OpenStack keep as one: those of MySQL and MariaDB tell no case apart.
func casedTagsRule() Rule {
	return Rule{
		Doc: "No two tags differ in upper and lower case alone: most databases of OpenStack take them for one.",
		breaches: func(v values) []Breach {
			plain := plainOf(v["tags"])
			if plain == cty.NilVal || !plain.CanIterateElements() {
				return nil
			}
			seen := map[string]string{}
			for it := plain.ElementIterator(); it.Next(); {
				_, tag := it.Element()
				if tag = plainOf(tag); tag == cty.NilVal || tag.Type() != cty.String {
					continue
				}
				folded := strings.ToLower(tag.AsString())
				if other, twice := seen[folded]; twice && other != tag.AsString() {
					return []Breach{{
						Attribute: "tags", Says: "must not have two tags that differ in upper and lower case alone: OpenStack's database may keep one of them only, and the other would be missing for ever",
						Hint: "leave one of the two",
					}}
				}
				seen[folded] = tag.AsString()
			}
			return nil
		},
	}
}

// serverTagsRule is about what Nova takes in no tag.
func serverTagsRule() Rule {
	return eachTag("No tag has a slash or a comma, or more than 60 characters, or none: Nova takes no such tag.", func(tag string) (says, hint string) {
		switch length := utf8.RuneCountInString(tag); {
		case strings.ContainsAny(tag, "/,"):
			return "must not have a tag with a slash or a comma, as Nova takes none", "write it with another character in place of that"
		case length == 0 || length > maxServerTag:
			return fmt.Sprintf("must have tags of 1 to %d characters, as Nova takes no other", maxServerTag), "write another word"
		}
		return "", ""
	})
}

const maxServerTag = 60 // of Nova

func eachTag(doc string, breach func(tag string) (says, hint string)) Rule {
	return Rule{
		Doc: doc,
		breaches: func(v values) []Breach {
			plain := plainOf(v["tags"])
			if plain == cty.NilVal || !plain.CanIterateElements() {
				return nil
			}
			for it := plain.ElementIterator(); it.Next(); {
				_, tag := it.Element()
				if tag = plainOf(tag); tag == cty.NilVal || tag.Type() != cty.String {
					continue
				}
				if says, hint := breach(tag.AsString()); says != "" {
					return []Breach{{Attribute: "tags", Says: says, Hint: hint}}
				}
			}
			return nil
		},
	}
}

func descriptionRule() Rule {
	return Rule{
		Doc: "The description does not end with [" + MarkPrefix + "…], as our marks do.",
		breaches: func(v values) []Breach {
			if text, ok := v.text("description"); !ok || !markEnd.MatchString(text) {
				return nil
			}
			return []Breach{{
				Attribute: "description",
				Says:      "must not end with [" + MarkPrefix + "…]: there our marks are, by which we know the object again",
				Hint:      "take the end away",
			}}
		},
	}
}

// keysRule is about the keys of a map that are ours, and those that other says something about.
func keysRule(name, doc string, other func(key string) (says, hint string)) Rule {
	return eachKey(name, doc, func(key string) (says, hint string) {
		if strings.HasPrefix(key, KeyPrefix) {
			return "must not be written: keys that begin with " + KeyPrefix + " are ours, and we know the object again by them", "write another key, or take it out"
		}
		return other(key)
	})
}

func eachKey(name, doc string, breach func(key string) (says, hint string)) Rule {
	return Rule{
		Doc: doc,
		breaches: func(v values) []Breach {
			plain := plainOf(v[name])
			if plain == cty.NilVal || !plain.CanIterateElements() {
				return nil
			}
			var found []Breach
			for it := plain.ElementIterator(); it.Next(); {
				key, _ := it.Element()
				b := Breach{Attribute: name}
				if !v[name].IsMarked() { // else its keys are nobody's business
					b.Path = cty.Path{}.Index(key)
				}
				if b.Says, b.Hint = breach(key.AsString()); b.Says == "" {
					continue
				}
				if b.Path == nil {
					b.Says = "has a key that " + b.Says
				}
				found = append(found, b)
			}
			return found
		},
	}
}

func metadataRule() Rule {
	return keysRule("metadata", "No key of metadata begins with "+KeyPrefix+", as ours do.", func(string) (says, hint string) { return "", "" })
}

// serverMetadataRule is [metadataRule] for what Nova keeps, which takes fewer keys.
func serverMetadataRule() Rule {
	return keysRule("metadata", "No key of metadata begins with "+KeyPrefix+", as ours do. "+serverKeys, serverKey)
}

func flavorSpecsRule() Rule { return eachKey("extra_specs", serverKeys, serverKey) }

const (
	serverKeys = "A key has 1 to 255 of the letters a to z and A to Z, digits, spaces, dots, colons, hyphens and underscores, and is neither a dot nor two: Nova takes no other."
	typeKeys   = "A key has 1 to 255 of the letters a to z and A to Z, digits, dots, colons, hyphens and underscores, and is neither a dot nor two: Cinder takes and deletes no other."
)

func serverKey(key string) (says, hint string) {
	if plainKey(key, ".:-_ ") {
		return "", ""
	}
	return "must not be written: Nova takes keys of 1 to 255 letters, digits, spaces, dots, colons, hyphens and underscores, and none that is a dot or two", "write another key"
}

func typeSpecsRule() Rule {
	return eachKey("extra_specs", typeKeys, func(key string) (says, hint string) {
		if plainKey(key, ".:-_") {
			return "", ""
		}
		return "must not be written: of a volume type Cinder changes and deletes keys of 1 to 255 letters, digits, dots, colons, hyphens and underscores, and none that is a dot or two", "write another key"
	})
}

// plainKey tells whether a key is one that services take, with these signs beside letters and digits. The path to one that
// is a dot or two leads elsewhere.
func plainKey(key, signs string) bool {
	return key != "" && len(key) <= mostKey && key != "." && key != ".." && !strings.ContainsFunc(key, func(r rune) bool {
		taken := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(signs, r)
		return !taken
	})
}

const mostKey = 255

func propertiesRule() Rule {
	return keysRule("properties",
		"No key of properties begins with "+KeyPrefix+", as ours do, or is one that Glance keeps for itself, such as name, visibility or owner.",
		func(key string) (says, hint string) {
			if !BaseProperty(key) {
				return "", ""
			}
			says, hint = "must not be written: it is no property, as Glance has it of every image", "take it out"
			image := imageBlocks()[0]
			if a := image.Attribute(key); a != nil && a.Presence != Computed {
				hint = "write it in the block itself, beside properties"
			}
			return says, hint
		})
}
