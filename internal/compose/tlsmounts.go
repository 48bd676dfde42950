package compose

import (
	"fmt"
	"strings"
)

// mountedTrust has pods have the certificate of the authority whose chart has no value for that, and can be given more
// volumes. The pods are those that talk to APIs.
func mountedTrust(pods ...string) []setting {
	const volume = "tls-trust"
	var list []setting
	for _, of := range pods {
		at := "pod.mounts." + of + "." + of + "."
		list = append(list,
			setting{path: at + "volumeMounts", value: []any{map[string]any{"name": volume, "mountPath": trustFile, "subPath": "ca.crt", "readOnly": true}}},
			setting{path: at + "volumes", value: []any{map[string]any{"name": volume, "secret": map[string]any{"secretName": trustName, "defaultMode": int64(0o444)}}}})
	}
	return list
}

// trustingJobs make the user of a service in Keystone and its entries of the catalogue, in the place of the chart's own
// jobs: those are made by the same templates of helm-toolkit, which have a place for the authority, and not told of it.
// They go by the same names, so that what waits for the chart's waits for them. More is what the chart says beside.
func trustingJobs(service, kind, more string) []setting {
	var list []setting
	for _, job := range []struct{ name, types string }{
		{"ks_service", fmt.Sprintf(`"serviceTypes" (tuple %q) `, kind)},
		{"ks_endpoints", fmt.Sprintf(`"serviceTypes" (tuple %q) `, kind)},
		{"ks_user", ""},
	} {
		text := fmt.Sprintf(`{{ dict "envAll" . "serviceName" %q %s"tlsSecret" %q %s"jobAnnotations" (include "metadata.annotations.job.%s" . | fromYaml) | include "helm-toolkit.manifests.job_%[5]s" }}`,
			service, job.types, trustName, more, job.name)
		list = append(list,
			setting{path: "manifests.job_" + job.name, value: false},
			setting{path: "extraObjects.tls_" + strings.TrimPrefix(job.name, "ks_"), value: text})
	}
	return list
}
