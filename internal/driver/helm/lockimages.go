package helm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"

	"github.com/distribution/reference"
	"helm.sh/helm/v3/pkg/chartutil"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxAsked bounds the images that registries are asked for at a time.
const maxAsked = 8

// placeholder stands in for the values of Secrets, which name no images.
const placeholder = "placeholder"

// Images are the images that releases would run, in their order, each sorted. Charts are rendered for that as a
// cluster would have them, without asking one; what is in their specifications about locked images means nothing.
// Only what concerns repositories matters of the options.
func Images(ctx context.Context, options Options, releases []*unit.Release) ([][]string, error) {
	from := newCharts(options)
	all := make([][]string, len(releases))
	for i, spec := range releases {
		images, err := from.images(ctx, spec)
		if err != nil {
			return nil, fmt.Errorf("the images of %s: %w", spec.Name, err)
		}
		all[i] = images
	}
	return all, nil
}

func (c *charts) images(ctx context.Context, spec *unit.Release) ([]string, error) {
	source, err := c.find(ctx, spec.Chart)
	if err != nil {
		return nil, err
	}
	values, _ := copied(spec.Values).(map[string]any)
	if values == nil {
		values = map[string]any{}
	}
	redirect(values, source, spec)
	for _, secret := range spec.Secrets {
		var plain any = placeholder
		if secret.Name == "" {
			if plain, err = plainOf(secret, secret.Given); err != nil {
				return nil, err
			}
		}
		if err := set(values, secret.Path, plain); err != nil {
			return nil, err
		}
	}
	found := slices.Clone(spec.Beside)
	for _, install := range []bool{true, false} { // charts may have Jobs for one of them only
		loaded, err := source.chart()
		if err != nil {
			return nil, fmt.Errorf("chart %s cannot be loaded: %w", spec.Chart.Name, err)
		}
		hooks, manifests, err := documentsOf(loaded, &wanted{spec: spec, source: source, values: values}, 1, install, chartutil.DefaultCapabilities)
		if err != nil {
			return nil, err
		}
		images, err := imagesIn(hooks, manifests)
		if err != nil {
			return nil, err
		}
		found = append(found, images...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Digests asks the registries of images for what these stand for now, and returns the images with their digests, in
// their order; of an image for several kinds of machines it is that of its index. Of the options only what concerns
// repositories matters. The error says of every image that could not be had why, by registry and with the services
// of the image; another try may help.
func Digests(ctx context.Context, options Options, images []chartlock.Image) ([]chartlock.Image, error) {
	client, err := newRepositories(options).images()
	if err != nil {
		return nil, err
	}
	locked, failures := slices.Clone(images), make([]error, len(images))
	group := contain.AtOnce(maxAsked)
	for i, image := range images {
		group.Go(func() { // all that is wrong is told at once
			if failures[i] = ctx.Err(); failures[i] == nil {
				locked[i].Digest, failures[i] = digestOf(ctx, client, image.Name)
			}
		})
	}
	group.Wait()
	if err := togetherByRegistry(images, failures); err != nil {
		return nil, err
	}
	return locked, nil
}

// images returns what asks registries of images, with the credentials of the given file and no others. It tries
// again, with pauses that differ, what another try may help, within the time of one request.
func (r *repositories) images() (*auth.Client, error) {
	client := &auth.Client{
		Client:     &http.Client{Timeout: downloadTimeout, Transport: retry.NewTransport(r.transport)},
		Cache:      auth.NewCache(),
		Credential: func(context.Context, string) (auth.Credential, error) { return auth.EmptyCredential, nil },
	}
	store, err := r.credentials()
	if err != nil {
		return nil, err
	}
	if store != nil {
		client.Credential = credentials.Credential(store)
	}
	return client, nil
}

func digestOf(ctx context.Context, client remote.Client, image string) (string, error) {
	named, err := reference.ParseNormalizedNamed(image) // docker.io/library where a name is short
	if err != nil {
		return "", err
	}
	tagged, ok := reference.TagNameOnly(named).(reference.Tagged)
	if !ok {
		return "", errors.New("it has no tag")
	}
	from, err := remote.NewRepository(named.Name())
	if err != nil {
		return "", err
	}
	from.Client = client
	found, err := from.Resolve(ctx, tagged.Tag())
	if noTLS(err) && loopback(from.Reference.Registry) { // a registry of this machine, to try things with
		from.PlainHTTP = true
		found, err = from.Resolve(ctx, tagged.Tag())
	}
	if err != nil {
		return "", outwardly{err}
	}
	return found.Digest.String(), nil
}

// noTLS tells whether a server answered with something else than TLS. That it is HTTP is recognized only where the
// answer begins so.
func noTLS(err error) bool {
	var header tls.RecordHeaderError
	return errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &header)
}

// loopback tells whether a registry is on this machine.
func loopback(registry string) bool {
	host, _, err := net.SplitHostPort(registry)
	if err != nil {
		host = registry
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
