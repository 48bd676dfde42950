package world

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
)

// Meddle sends a request to one of OpenStack's APIs behind the product's back: "identity", "image",
// "compute", "network" or "volume". A path begins behind the API's version, and a list as the body is a patch of
// an image. The test fails unless the answer is one of success. What an API failed at itself is asked
// again, and is done when it has been done then: Neutron answers 500, with the work behind it, when an
// agent that it counted on goes meanwhile.
func (w *World) Meddle(t testing.TB, api, method, path string, body any) {
	t.Helper()
	options := &gophercloud.RequestOpts{
		JSONBody: body, OkCodes: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent},
	}
	if _, patch := body.([]map[string]any); patch {
		options.MoreHeaders = map[string]string{"Content-Type": "application/openstack-images-v2.1-json-patch"}
	}
	service := w.service(t, openers()[api])
	for attempt := range meddles {
		response, err := service.Request(t.Context(), method, service.ServiceURL(path), options)
		var answer gophercloud.ErrUnexpectedResponseCode
		switch {
		case err == nil:
			_ = response.Body.Close()
			return
		case !errors.As(err, &answer) && (t.Context().Err() != nil || attempt == meddles-1):
			t.Fatalf("%s %s: %v", method, path, err)
		case answer.Actual == 0: // there was no answer
		case attempt > 0 && (answer.Actual == http.StatusNotFound || answer.Actual == http.StatusConflict):
			return
		case answer.Actual < http.StatusInternalServerError || attempt == meddles-1:
			t.Fatalf("%s %s: %v", method, path, err)
		}
		t.Logf("%s %s, asked again: %v", method, path, err)
		select {
		case <-t.Context().Done():
		case <-time.After(time.Second):
		}
	}
}

// Replace puts another object in the place of one behind the product's back: it deletes what has the name,
// and creates what the body says. It returns the object as the API answers. The product may be faster, and
// put its own back in between: then that is replaced, too.
func (w *World) Replace(t testing.TB, kind, name, api, collection string, body any) map[string]any {
	t.Helper()
	service := w.service(t, openers()[api])
	var refused error
	for range meddles {
		if old := w.Raw(t, kind, name); old != nil {
			w.Meddle(t, api, http.MethodDelete, fmt.Sprintf("%s/%v", collection, old["id"]), nil)
		}
		var answer map[string]any
		response, err := service.Request(t.Context(), http.MethodPost, service.ServiceURL(collection), &gophercloud.RequestOpts{
			JSONBody: body, JSONResponse: &answer, OkCodes: []int{http.StatusOK, http.StatusCreated},
		})
		if err == nil {
			_ = response.Body.Close()
			for _, made := range answer { // all of it is in one attribute, of the kind's name
				object, _ := made.(map[string]any)
				return object
			}
		}
		var unexpected gophercloud.ErrUnexpectedResponseCode
		if errors.As(err, &unexpected) && unexpected.Actual < http.StatusInternalServerError && unexpected.Actual != http.StatusConflict {
			t.Fatalf("POST %s: %v", collection, err)
		}
		refused = err
		t.Logf("POST %s, tried again: %v", collection, err)
	}
	t.Fatalf("POST %s: %v", collection, refused)
	return nil
}

// meddles is how often a request is sent that the API fails at.
const meddles = 5

// Read returns what one of OpenStack's APIs answers to a path; see [World.Meddle].
func (w *World) Read(t testing.TB, api, path string) map[string]any {
	t.Helper()
	service := w.service(t, openers()[api])
	var answer map[string]any
	options := &gophercloud.RequestOpts{JSONResponse: &answer, OkCodes: []int{http.StatusOK}}
	response, err := service.Request(t.Context(), http.MethodGet, service.ServiceURL(path), options)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	_ = response.Body.Close()
	return answer
}

// Raw returns the object of a kind and name as OpenStack shows it in the kind's list, nil where there is
// none. Two of one name fail the test.
func (w *World) Raw(t testing.TB, kind, name string) map[string]any {
	t.Helper()
	var found map[string]any
	for _, listing := range w.kinds(t) {
		if listing.kind != kind {
			continue
		}
		for _, raw := range listing.raw(t) {
			if raw["name"] != name {
				continue
			}
			if found != nil {
				t.Fatalf("there are two of the kind %s with the name %s", kind, name)
			}
			found = raw
		}
	}
	return found
}

type opener = func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error)

func openers() map[string]opener {
	return map[string]opener{
		"identity": client.NewIdentityV3, "image": client.NewImageV2, "compute": client.NewComputeV2, "network": client.NewNetworkV2, "volume": client.NewBlockStorageV3,
	}
}
