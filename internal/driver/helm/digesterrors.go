package helm

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/distribution/reference"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

// digestFailure is what images of one registry have in common that could not be had.
type digestFailure struct {
	registry, reason string
	images           []chartlock.Image
	all              bool // every image is named, as each of them has to be mended
	cause            error
}

// Error names the registry, the images with the services that run them, and why.
func (f *digestFailure) Error() string {
	var names, services []string
	for _, image := range f.images {
		services = append(services, image.Services...)
		name := image.Name
		if f.registry == "" { // it is no name
			name = strconv.Quote(name)
		}
		names = append(names, name)
	}
	slices.Sort(services)
	services = slices.Compact(services)
	what := "image " + names[0]
	switch {
	case len(names) > maxNamed && !f.all:
		what = fmt.Sprintf("%d images", len(names))
	case len(names) > 1:
		last := len(names) - 1
		what = "images " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	if len(services) > 0 {
		what += " of " + list(services)
	}
	if f.registry != "" {
		what = "registry " + f.registry + ": " + what
	}
	return what + ": " + f.reason
}

// Unwrap returns what went wrong with the first of the images.
func (f *digestFailure) Unwrap() error { return f.cause }

// togetherByRegistry joins what went wrong with images. What several of a registry have in common, as it cannot be
// reached, is told once, with the services that it concerns.
func togetherByRegistry(images []chartlock.Image, failures []error) error {
	var groups []*digestFailure
	for i, err := range failures {
		if err == nil {
			continue
		}
		registry, reason := registryOf(images[i].Name), digestReason(err)
		at := slices.IndexFunc(groups, func(f *digestFailure) bool { return f.registry == registry && f.reason == reason })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &digestFailure{registry: registry, reason: reason, cause: err, all: errors.Is(err, errdef.ErrNotFound) || registry == ""})
		}
		groups[at].images = append(groups[at].images, images[i])
	}
	slices.SortStableFunc(groups, func(a, b *digestFailure) int { return cmp.Compare(a.registry, b.registry) })
	all := make([]error, len(groups))
	for i, group := range groups {
		all[i] = group
	}
	return errors.Join(all...)
}

// registryOf is the registry of an image, "" where its name is none.
func registryOf(image string) string {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return ""
	}
	return reference.Domain(named)
}

// digestReason says what went wrong, without what differs from one request to the next.
func digestReason(err error) string {
	var answer *errcode.ErrorResponse
	var request *url.Error
	var connection *net.OpError
	switch {
	case errors.Is(err, errdef.ErrNotFound):
		return "the registry has no such image"
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden):
		return "the registry has none for us: give credentials in --chart-credentials-file, or name another image"
	case errors.As(err, &answer):
		reason := fmt.Sprintf("it answered %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
		if len(answer.Errors) > 0 {
			reason += ": " + answer.Errors.Error()
		}
		return reason
	case errors.As(err, &connection):
		return connection.Op + ": " + connection.Err.Error()
	case errors.As(err, &request):
		return request.Err.Error()
	default:
		return err.Error()
	}
}
