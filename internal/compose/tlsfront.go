package compose

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// frontConf is the configuration of what ends TLS; the words in capitals stand for what differs.
//
//go:embed nginx.conf
var frontConf string

const (
	portTLS = int64(8443) // of the pods; that of Services stays

	frontName         = "tls"
	frontUser         = int64(101) // whom the image has for it
	frontProbe        = "/.kupenstack/tls"
	frontCertificates = "/etc/nginx/certificates"

	volumeOfCertificates = "tls-certificates"
	volumeOfFiles        = "tls-tmp"
)

// frontContainer ends TLS before the port of a program. What it is configured with is a part of the pod, so that
// another configuration replaces that.
func frontContainer(image string, port int64, resources model.Resources) map[string]any {
	conf := strings.NewReplacer("DIRECTORY", frontCertificates, "LISTEN", strconv.FormatInt(portTLS, 10), "PROBE", frontProbe, "PORT", strconv.FormatInt(port, 10)).Replace(frontConf)
	probe := func(period int64) map[string]any {
		return map[string]any{"httpGet": map[string]any{"scheme": "HTTPS", "path": frontProbe, "port": portTLS}, "periodSeconds": period, "timeoutSeconds": int64(5)}
	}
	container := map[string]any{
		"name": frontName, "image": image, "imagePullPolicy": "IfNotPresent",
		"command": []any{"sh", "-c", `printf '%s' "$CONF" >/tmp/nginx.conf && exec nginx -e stderr -c /tmp/nginx.conf -g 'daemon off;'`},
		"env":     []any{map[string]any{"name": "CONF", "value": conf}},
		"ports":   []any{map[string]any{"name": "tls", "containerPort": portTLS}},
		"securityContext": map[string]any{
			"runAsUser": frontUser, "runAsNonRoot": true, "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
			"capabilities": map[string]any{"drop": []any{"ALL"}},
		},
		"readinessProbe": probe(10),
		"livenessProbe":  probe(30),
		"volumeMounts": []any{
			map[string]any{"name": volumeOfCertificates, "mountPath": frontCertificates, "readOnly": true},
			map[string]any{"name": volumeOfFiles, "mountPath": "/tmp"},
		},
	}
	if of := amounts(resources); len(of) > 0 {
		container["resources"] = of
	}
	return container
}

// amounts are resources as Kubernetes takes them.
func amounts(r model.Resources) map[string]any {
	of := map[string]any{}
	for _, amount := range amountsOf(r) {
		if amount.text != "" {
			put(of, amount.path, amount.text)
		}
	}
	return of
}

func frontVolumes(e endpoint) []any {
	return []any{
		map[string]any{"name": volumeOfCertificates, "secret": map[string]any{"secretName": certificateOf(e)}},
		map[string]any{"name": volumeOfFiles, "emptyDir": map[string]any{}},
	}
}

// certificateOf names the certificate of an API, and the Secret that it is in.
func certificateOf(e endpoint) string { return e.host + "-tls" }

// inPlaceOf is an image in the registry that stands in for its own, as the charts' images are. The image is written
// in full.
func inPlaceOf(image string, registries map[string]string) string {
	best := standsIn(image, registries)
	if best == "" {
		return image
	}
	return registries[best] + image[len(best):]
}

// standsIn is the registry, or the part of one, that an image is of and that something stands in for; "" for none. Of
// several it is the longest.
func standsIn(image string, registries map[string]string) string {
	best := ""
	for of := range registries {
		rest, within := strings.CutPrefix(image, of)
		if within && rest != "" && strings.ContainsAny(rest[:1], "/:@") && len(of) > len(best) {
			best = of
		}
	}
	return best
}
