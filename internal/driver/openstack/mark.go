package openstack

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// markPrefix begins every mark of every installation.
const markPrefix = schema.MarkPrefix

// markKey is the property of images and the metadata key of instances that holds the mark.
const markKey = schema.KeyPrefix + "mark"

var markPattern = regexp.MustCompile(`^(?s)(.*?) ?\[(` + markPrefix + `[^\]\s]+)\]$`)

// splitMark takes the mark off a description.
func splitMark(description string) (text, mark string) {
	if found := markPattern.FindStringSubmatch(description); found != nil {
		return found[1], found[2]
	}
	return description, ""
}

// joinMark puts the mark behind a description.
func joinMark(text, mark string) string {
	switch {
	case mark == "":
		return text
	case text == "":
		return "[" + mark + "]"
	}
	return text + " [" + mark + "]"
}

// roomless returns "" or a sentence that says that our mark does not fit behind the description that somebody else gave
// an object.
func roomless(k kind, o *object) string {
	by, ok := k.(interface{ block() *schema.Block })
	if !ok || o.mark != "" {
		return ""
	}
	a := by.block().Attribute(keyDescription)
	if a == nil || a.Format != schema.FormatText {
		return ""
	}
	if err := a.Format.Check(textOf(o.values.get(keyDescription))); err != nil {
		return fmt.Sprintf("the description of %s must be %v: shorten it, or write another one in the block", describe([]*object{o})[0], err)
	}
	return ""
}

// splitTags tells our mark from the tags that people wrote.
func splitTags(tags []string) (others []string, mark string) {
	others = []string{}
	for _, tag := range tags {
		if strings.HasPrefix(tag, markPrefix) {
			mark = tag
			continue
		}
		others = append(others, tag)
	}
	return others, mark
}
