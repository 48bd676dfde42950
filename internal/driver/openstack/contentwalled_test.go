package openstack

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// kept asks what the services have in a project that are shown to nobody outside it.
func (c *nextCloud) kept(t *testing.T, project string, credentials map[string]string) error {
	t.Helper()
	d := assemble(Options{Language: schema.New(), Page: 2, Settle: time.Millisecond, Connect: func(context.Context) (Credentials, error) {
		variables := map[string]string{"OS_AUTH_URL": c.URL, "OS_REGION_NAME": "here"}
		for name, v := range credentials {
			variables[name] = v
		}
		return FromVariables(variables), nil
	}})
	t.Cleanup(d.Close)
	s, err := d.connector.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range s.walledContents(func(service string) bool { return s.listed(service) != "" }, project) {
		err = errors.Join(err, content.mustBeEmpty(t.Context(), s, "the project"))
	}
	return err
}

func byPassword() map[string]string {
	return map[string]string{"OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "own"}
}

// TestToLookIntoAProjectThatGoes: our user gives itself a role in a project of ours that is to go, so that it is shown what Swift has
// there. It does not where that leads nowhere, and then nobody knows.
func TestToLookIntoAProjectThatGoes(t *testing.T) {
	for name, test := range map[string]struct {
		credentials map[string]string
		change      func(c *nextCloud)
		project     string
		says        string // "" for nothing there
		member      bool
	}{
		"there is something": {credentials: byPassword(), project: "shop", says: "the project still has object containers: " + somebodys(0) + ", which is not ours", member: true},
		"there is nothing":   {credentials: byPassword(), project: "shop", change: func(c *nextCloud) { c.objects = nil }, member: true},
		"a role of somebody's making": {credentials: byPassword(), project: "shop", change: func(c *nextCloud) {
			c.member = true
		}, says: "still has object containers", member: true},
		"an application credential": {
			credentials: map[string]string{"OS_APPLICATION_CREDENTIAL_ID": "a1", "OS_APPLICATION_CREDENTIAL_SECRET": "pretended"}, project: "shop",
			says: "logs in by an application credential, which is for one project alone: give credentials with a password, for work in the project shop; " +
				"only who works in a project is shown that: make it possible, or have it forgotten by a removed block with destroy = false",
		},
		"a project that is disabled": {credentials: byPassword(), project: "closed", says: `the project "closed" is disabled; only who works in a project is shown that`},
	} {
		t.Run(name, func(t *testing.T) {
			c := newNextCloud(t, map[string]string{"object-store": "/swift/v1/AUTH_PROJECT"})
			playSwift(c)
			c.mux.HandleFunc("GET /v3/projects/closed", func(w http.ResponseWriter, _ *http.Request) {
				tell(w, http.StatusOK, map[string]any{"project": map[string]any{"id": "closed", "name": "closed", "enabled": false, "tags": []any{markPrefix + "closed"}}})
			})
			if test.change != nil {
				test.change(c)
			}
			err := c.kept(t, test.project, test.credentials)
			if (err != nil) != (test.says != "") || err != nil && (!strings.Contains(err.Error(), test.says) || !unit.IsBlocked(err)) {
				t.Errorf("got %v", err)
			}
			if c.member != test.member {
				t.Errorf("our user has a role there: %t", c.member)
			}
			for _, asked := range c.asked {
				if !strings.HasPrefix(asked, "GET ") {
					t.Errorf("it is more than looked: %s", asked)
				}
			}
		})
	}
}

// TestAnAccountThatWasNeverMade: that Swift knows of no account tells that there is nothing in it; that something before it finds no
// Swift does not, nor that a Rados gateway finds no container of the account's name. One that was deleted is the same as none.
func TestAnAccountThatWasNeverMade(t *testing.T) {
	const (
		id      = "tx0123456789abcdef01234-0123456789"
		page    = "<html><h1>Not Found</h1><p>The resource could not be found.</p></html>"
		gone    = "<html><h1>Gone</h1><p>This resource is no longer available.</p></html>"
		gateway = `{"Code":"NoSuchBucket","BucketName":"AUTH_shop","RequestId":"tx0123456789abcdef01234-0123456789-1a2b-here","HostId":"1a2b-here-here"}`
	)
	for name, test := range map[string]struct {
		id, body, says string // "" for nothing there
		status         int    // 0 is that it is not found
	}{
		"deleted":                          {id: id, body: page, status: http.StatusGone},
		"deleted, with a page of its own":  {id: id, body: gone, status: http.StatusGone},
		"deleted, without a page":          {id: id, status: http.StatusGone},
		"gone, by something before it":     {body: gone, status: http.StatusGone, says: "answered 410"},
		"gone, in other words":             {id: id, body: "moved away", status: http.StatusGone, says: "that is not how Swift tells"},
		"not found, with the page of gone": {id: id, body: gone, says: "that is not how Swift tells"},
		"without a page":                   {id: id},
		"with its page":                    {id: id, body: page},
		"with an id that goes on":          {id: id + "-here", body: page},
		"without an id":                    {body: page, says: "answered 404"},
		"with another id":                  {id: "secret", body: page, says: "answered 404"},
		"a Rados gateway":                  {id: id + "-1a2b-here", body: gateway, says: ": NoSuchBucket; that is not how Swift tells"},
		"a Rados gateway that has no JSON": {id: id + "-1a2b-here", body: "NoSuchBucket", says: "write rgw_swift_account_in_url = true"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newNextCloud(t, map[string]string{"object-store": "/swift/v1/AUTH_PROJECT"})
			c.member = true
			c.mux.HandleFunc("GET /swift/v1/{account}/{$}", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Trans-Id", test.id)
				w.WriteHeader(cmp.Or(test.status, http.StatusNotFound))
				_, _ = io.WriteString(w, test.body)
			})
			err := c.kept(t, "shop", byPassword())
			if (err != nil) != (test.says != "") || err != nil && !strings.Contains(err.Error(), test.says) || unit.IsBlocked(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}
