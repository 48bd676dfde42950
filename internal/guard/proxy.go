package guard

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// ProxyAnswer is for [http.Transport.OnProxyConnectResponse]: of a proxy that lets nothing through only the code is told. What
// it writes beside that, which the library would tell, may hold the name and the password that it was given.
func ProxyAnswer(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return fmt.Errorf("the proxy answered %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
}
