package addons

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// Addon is one of them.
type Addon struct {
	Name string

	module, version string
	sum             string   // of the module, as go.sum would have it
	files           []string // patterns of those with definitions
	roles           []rule   // what is played
}

// CertManager signs with an authority of the test's own, whatever the issuer says.
func CertManager() Addon {
	return Addon{
		Name: "cert-manager", module: "github.com/cert-manager/cert-manager", version: "v1.21.2",
		sum: "h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68=", files: []string{"deploy/crds/cert-manager.io_*.yaml"},
		roles: []rule{
			{resource("cert-manager.io", "clusterissuers"), (*player).ready},
			{resource("cert-manager.io", "issuers"), (*player).ready},
			{resource("cert-manager.io", "certificates"), (*player).certificate},
		},
	}
}

// Gateway accepts every route.
func Gateway() Addon {
	return Addon{
		Name: "Gateway API", module: "sigs.k8s.io/gateway-api", version: "v1.6.0",
		sum: "h1:735YBRj5NXFrOGX0GoSjwzUIzbz8kiEOfADsqHFmHgE=", files: []string{"config/crd/standard/gateway.networking.k8s.io_*.yaml"},
		roles: []rule{
			{resource("gateway.networking.k8s.io", "httproutes"), (*player).route},
			{resource("gateway.networking.k8s.io", "backendtlspolicies"), (*player).policy},
		},
	}
}

// Rook says of every pool and user that it is there, and keeps the users' keys in Secrets as Rook does.
func Rook() Addon {
	return Addon{
		Name: "Rook", module: "github.com/rook/rook", version: "v1.12.0",
		sum: "h1:XzurShEDvuPueDnZBgaj5M3AJXQ2ykSNOHGhfobkE/U=", files: []string{"deploy/examples/crds.yaml"},
		roles: []rule{
			{resource("ceph.rook.io", "cephclusters"), (*player).phase},
			{resource("ceph.rook.io", "cephblockpools"), (*player).phase},
			{resource("ceph.rook.io", "cephclients"), (*player).user},
		},
	}
}

// definitions reads those of an addon. Where the module is not in the cache of Go, it is fetched.
func (a Addon) definitions(ctx context.Context) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	dir, err := a.fetch(ctx)
	if err != nil {
		return nil, fmt.Errorf("the module of %s: %w", a.Name, err)
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, pattern := range a.files {
		names, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			found, err := read(name)
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", filepath.Base(name), a.Name, err)
			}
			all = append(all, found...)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the module of %s has no definitions at %q", a.Name, a.files)
	}
	return all, nil
}

// fetch returns the directory of the module, which nothing of ours imports: of its code nothing is wanted.
func (a Addon) fetch(ctx context.Context) (dir string, err error) {
	command := exec.CommandContext(ctx, "go", "mod", "download", "-json", a.module+"@"+a.version)
	command.Dir, command.Env = os.TempDir(), append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	output, failed := command.Output()
	var module struct{ Dir, Sum, Error string }
	if err := json.Unmarshal(output, &module); err != nil {
		return "", errors.Join(failed, err)
	}
	switch {
	case module.Error != "":
		return "", errors.New(module.Error)
	case failed != nil:
		return "", failed
	case module.Sum != a.sum:
		return "", fmt.Errorf("%s@%s is %s and should be %s", a.module, a.version, module.Sum, a.sum)
	}
	return module.Dir, nil
}

// read returns the definitions in a file of YAML, and passes over what else is in it.
func read(name string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var found []*apiextensionsv1.CustomResourceDefinition
	for decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		switch err := decoder.Decode(definition); {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return nil, err
		case definition.Kind == "CustomResourceDefinition":
			found = append(found, definition)
		}
	}
}
