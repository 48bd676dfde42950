package openstack

import (
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
