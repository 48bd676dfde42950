package openstack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// shortestLogin is how long a token must be good for to be used by others.
const shortestLogin = time.Hour

// login is what Keystone says of a token of the administrator, as it is kept for all processes that use a bed. Tests log in
// thousands of times, and each time Keystone and every service that is asked have to find out who that is.
type login struct {
	Token string
	Body  any
}

func (r record) loginFile() string { return filepath.Join(r.Scratch, "login.json") }

// sharedProvider is [record.provider] with a token that another process may have asked for.
func (r record) sharedProvider(ctx context.Context) (*gophercloud.ProviderClient, error) {
	if provider, err := r.loggedIn(); err == nil {
		return provider, nil
	}
	provider, err := r.provider(ctx)
	if err != nil {
		return nil, err
	}
	return provider, r.keepLogin(provider)
}

// loggedIn returns a client with the token that is kept. Its error is only that there is none to use.
func (r record) loggedIn() (*gophercloud.ProviderClient, error) {
	data, err := os.ReadFile(r.loginFile())
	if err != nil {
		return nil, err
	}
	var kept login
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, err
	}
	var result tokens.CreateResult
	result.Body, result.Header = kept.Body, http.Header{"X-Subject-Token": {kept.Token}}
	token, err := result.ExtractToken()
	if err != nil {
		return nil, err
	}
	if time.Until(token.ExpiresAt) < shortestLogin {
		return nil, fmt.Errorf("the token that is kept ends at %v", token.ExpiresAt)
	}
	catalog, err := result.ExtractServiceCatalog()
	if err != nil {
		return nil, err
	}
	provider, err := newClient(r.auth(), http.DefaultTransport, readAgain)
	if err != nil {
		return nil, err
	}
	provider.ReauthFunc = func(ctx context.Context) error { // somebody has taken the token away
		fresh, err := r.provider(ctx)
		if err != nil {
			return err
		}
		provider.CopyTokenFrom(fresh)
		return r.keepLogin(fresh)
	}
	provider.EndpointLocator = func(at gophercloud.EndpointOpts) (string, error) {
		return openstack.V3Endpoint(context.Background(), provider, catalog, at) // who asks for an endpoint has no context to give
	}
	return provider, provider.SetTokenAndAuthResult(result)
}

// keepLogin writes down what a client has logged in with, in one step.
func (r record) keepLogin(provider *gophercloud.ProviderClient) error {
	result, ok := provider.GetAuthResult().(tokens.CreateResult)
	if !ok {
		return fmt.Errorf("a token of Keystone comes as %T", provider.GetAuthResult())
	}
	data, err := json.Marshal(login{Token: provider.Token(), Body: result.Body})
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(r.Scratch, "login-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), r.loginFile())
}
