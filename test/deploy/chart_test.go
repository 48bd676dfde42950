package deploy_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// root is the checkout, seen from here.
const root = "../.."

const exampleURL = "https://git.example.org/cloud.git"

type values = map[string]any

// render returns what the chart makes of values, the objects of each template in turn.
func render(namespace string, given values) ([]string, error) {
	chart, err := loader.Load(filepath.Join(root, "deploy", "chart"))
	if err != nil {
		return nil, err
	}
	options := chartutil.ReleaseOptions{Name: "kupenstack", Namespace: namespace, Revision: 1, IsInstall: true}
	top, err := chartutil.ToRenderValues(chart, given, options, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(chart, top)
	if err != nil {
		return nil, err
	}
	for name := range files { // helpers print nothing
		if !strings.HasSuffix(name, ".yaml") {
			delete(files, name)
		}
	}
	_, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	var texts []string
	for _, m := range manifests {
		texts = append(texts, strings.TrimSpace(m.Content)+"\n")
	}
	return texts, err
}

// objects renders the chart and decodes what comes out.
func objects(t *testing.T, namespace string, given values) []*unstructured.Unstructured {
	t.Helper()
	texts, err := render(namespace, given)
	if err != nil {
		t.Fatal(err)
	}
	var found []*unstructured.Unstructured
	for _, text := range texts {
		object := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict([]byte(text), &object.Object); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		found = append(found, object)
	}
	return found
}

// deployment returns the Deployment among objects, refusing fields that there are not.
func deployment(t *testing.T, objects []*unstructured.Unstructured) *appsv1.Deployment {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() == "Deployment" {
			var d appsv1.Deployment
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &d, true); err != nil {
				t.Fatal(err)
			}
			return &d
		}
	}
	t.Fatal("there is no Deployment")
	return nil
}

// variant is one way to use the chart.
type variant struct {
	name   string
	values values
	args   []string // that have to be there
	absent []string // flags that must not
	image  string
	mounts map[string]string // the Secret that is mounted, by path
	env    []string
	scheme corev1.URIScheme // of the probes; HTTP
	claim  string           // of the clone; none
}

func variants() []variant {
	with := func(more values) values {
		all := values{"repo": values{"url": exampleURL}}
		return chartutil.CoalesceTables(more, all)
	}
	const tagged = "ghcr.io/kupenstack/kupenstack-sync:0.1.0"
	return []variant{
		{
			name: "defaults", values: with(nil), image: tagged,
			args: []string{
				"--repo=" + exampleURL, "--path=.", "--status-branch=kupenstack-status", "--interval=30s", "--resync=5m", "--openstack-interval=30s",
				"--lease-duration=15s", "--namespace=lab", "--cache-dir=/var/cache/kupenstack", "--listen=:8080", "--log-level=info", "--chart-account=lab/kupenstack-deployer",
			},
			absent: []string{"--verify", "--image-sources", "--webhook-listen", "--ref", "--git-username", "--git-password-file", "--max-deletes", "--os-cloud"},
		},
		{
			name: "https", image: tagged,
			values: with(values{"repo": values{"ref": "main", "username": "robot: #1", "secret": "git", "secretKeys": []any{"password", "git-ca"}}, "maxDeletes": 1234567}),
			args: []string{
				"--ref=main", "--git-username=robot: #1", "--git-password-file=/etc/kupenstack/git/password",
				"--git-ca-file=/etc/kupenstack/git/git-ca", "--max-deletes=1234567",
			},
			absent: []string{"--ssh-key-file", "--known-hosts-file"},
			mounts: map[string]string{"/etc/kupenstack/git": "git"},
		},
		{
			name: "ssh", image: tagged,
			values: with(values{"repo": values{"url": "ssh://git@git.example.org/cloud.git", "secret": "git", "secretKeys": []any{"ssh-key", "ssh-passphrase", "known-hosts"}}}),
			args: []string{
				"--repo=ssh://git@git.example.org/cloud.git", "--ssh-key-file=/etc/kupenstack/git/ssh-key",
				"--ssh-passphrase-file=/etc/kupenstack/git/ssh-passphrase", "--known-hosts-file=/etc/kupenstack/git/known-hosts",
			},
			absent: []string{"--git-password-file"},
			mounts: map[string]string{"/etc/kupenstack/git": "git"},
		},
		{
			name: "signed commits", image: tagged,
			values: with(values{"repo": values{"secret": "git", "secretKeys": []any{"password", "signers", "signing-key"}, "verifyHistory": true}}),
			args:   []string{"--verify=/etc/kupenstack/git/signers", "--signing-key-file=/etc/kupenstack/git/signing-key", "--verify-history=true"},
			mounts: map[string]string{"/etc/kupenstack/git": "git"},
		},
		{
			name: "a longer lease", image: tagged, values: with(values{"leaseDuration": "45s"}), args: []string{"--lease-duration=45s"},
		},
		{
			name: "images", image: tagged, values: with(values{"imageSources": []any{"https://images.example.org/debian", "https://mirror.example.org"}}),
			args: []string{"--image-sources=https://images.example.org/debian,https://mirror.example.org"},
		},
		{
			name: "webhooks", image: tagged, values: with(values{"webhook": values{"secret": "hook"}}),
			args:   []string{"--webhook-listen=:8081", "--webhook-secret-file=/etc/kupenstack/webhook/secret"},
			absent: []string{"--webhook-tls-cert-file", "--webhook-tls-key-file"},
			mounts: map[string]string{"/etc/kupenstack/webhook": "hook"},
		},
		{
			name: "webhooks over TLS", image: tagged, values: with(values{"webhook": values{"secret": "hook", "tlsSecret": "tls"}}),
			args:   []string{"--webhook-tls-cert-file=/etc/kupenstack/webhook-tls/tls.crt", "--webhook-tls-key-file=/etc/kupenstack/webhook-tls/tls.key"},
			mounts: map[string]string{"/etc/kupenstack/webhook": "hook", "/etc/kupenstack/webhook-tls": "tls"},
		},
		{
			name: "metrics over TLS", image: tagged, values: with(values{"metrics": values{"tlsSecret": "tls"}}), scheme: corev1.URISchemeHTTPS,
			args:   []string{"--tls-cert-file=/etc/kupenstack/metrics-tls/tls.crt", "--tls-key-file=/etc/kupenstack/metrics-tls/tls.key"},
			mounts: map[string]string{"/etc/kupenstack/metrics-tls": "tls"},
		},
		{
			name: "a claim for the clone", image: tagged, values: values{"repo": values{"url": exampleURL, "cacheClaim": "clone"}}, claim: "clone",
		},
		{
			name: "openstack", image: tagged,
			values: with(values{"openstack": values{"secret": "clouds", "cloud": "lab"}}),
			args:   []string{"--os-cloud=lab"},
			mounts: map[string]string{"/etc/kupenstack/openstack": "clouds"},
			env:    []string{"OS_CLIENT_CONFIG_FILE=/etc/kupenstack/openstack/clouds.yaml"},
		},
		{
			name: "proxy", image: tagged, values: with(values{"proxy": values{"url": "http://proxy.example.org:3128", "except": []any{".example.org", "192.0.2.0/24"}}}),
			env: []string{
				"HTTPS_PROXY=http://proxy.example.org:3128",
				"NO_PROXY=localhost,127.0.0.1,$(KUBERNETES_SERVICE_HOST),.svc,.cluster.local,.example.org,192.0.2.0/24",
			},
		},
		{
			name: "proxy with a password", image: tagged,
			values: with(values{"openstack": values{"secret": "clouds"}, "proxy": values{"secret": "proxy"}}),
			mounts: map[string]string{"/etc/kupenstack/openstack": "clouds"},
			env: []string{
				"OS_CLIENT_CONFIG_FILE=/etc/kupenstack/openstack/clouds.yaml", "HTTPS_PROXY=<proxy/url>",
				"NO_PROXY=localhost,127.0.0.1,$(KUBERNETES_SERVICE_HOST),.svc,.cluster.local",
			},
		},
		{
			name: "an account for charts", image: tagged,
			values: with(values{"deployer": values{
				"namespaces":   []any{"default"},
				"extraRules":   []any{values{"apiGroups": []any{"example.org"}, "resources": []any{"things"}, "verbs": []any{"get"}}},
				"clusterRules": []any{values{"apiGroups": []any{"rbac.authorization.k8s.io"}, "resources": []any{"clusterroles"}, "verbs": []any{"create"}}},
			}}),
			args: []string{"--chart-account=lab/kupenstack-deployer"},
		},
		{
			name: "one account for all", image: tagged,
			values: with(values{"deployer": values{"enabled": false, "namespaces": []any{}}}),
			absent: []string{"--chart-account"},
		},
		{
			name: "digest and more", image: "mirror.example.org/sync@sha256:0123",
			values: with(values{
				"image": values{"repository": "mirror.example.org/sync", "tag": "1.2.3", "digest": "sha256:0123"}, "imagePullSecrets": []any{values{"name": "pull"}},
				"replicas": 2, "nodeSelector": values{"a": "b"}, "tolerations": []any{values{"operator": "Exists"}}, "extraArgs": []any{"--context=other"},
				"affinity": values{"nodeAffinity": values{}}, "serviceAccount": values{"name": "other"},
				"rbac": values{"extraRules": []any{values{"apiGroups": []any{"example.org"}, "resources": []any{"things"}, "verbs": []any{"get"}}}},
			}),
			args: []string{"--context=other"},
		},
	}
}

func TestChart(t *testing.T) {
	known := flags(t)
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			d := deployment(t, objects(t, "lab", v.values))
			pod := d.Spec.Template.Spec
			container := pod.Containers[0]
			if rolling := d.Spec.Strategy.RollingUpdate; (rolling == nil) != (v.claim == "") || rolling != nil && rolling.MaxSurge.IntValue() != 0 {
				t.Errorf("pods are replaced by %+v", d.Spec.Strategy)
			}
			given := map[string]bool{}
			for _, arg := range container.Args {
				name, _, ok := strings.Cut(arg, "=")
				if !ok || !known[name] || given[name] {
					t.Errorf("%q is no flag of kupenstackd with a value, or stands there twice", arg)
				}
				given[name] = true
			}
			for _, want := range v.args {
				if !slices.Contains(container.Args, want) {
					t.Errorf("no %q among %q", want, container.Args)
				}
			}
			for _, name := range v.absent {
				if given[name] {
					t.Errorf("%s is given, and nobody asked for it", name)
				}
			}
			if container.Image != v.image {
				t.Errorf("the image is %s, want %s", container.Image, v.image)
			}
			checkMounts(t, pod, v.mounts)
			for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe} {
				if probe.HTTPGet.Scheme != v.scheme {
					t.Errorf("%s is asked for by %q, want %q", probe.HTTPGet.Path, probe.HTTPGet.Scheme, v.scheme)
				}
			}
			cache := pod.Volumes[slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == "cache" })]
			if claim := cache.PersistentVolumeClaim; (claim == nil) != (v.claim == "") || claim != nil && claim.ClaimName != v.claim {
				t.Errorf("the clone is in %+v, want the claim %q", cache, v.claim)
			}
			for _, volume := range pod.Volumes {
				if volume.EmptyDir != nil && volume.EmptyDir.SizeLimit == nil {
					t.Errorf("the volume %s may fill the node's disk", volume.Name)
				}
			}
			var env []string
			for _, e := range container.Env {
				if e.ValueFrom != nil {
					e.Value += "<" + e.ValueFrom.SecretKeyRef.Name + "/" + e.ValueFrom.SecretKeyRef.Key + ">"
				}
				env = append(env, e.Name+"="+e.Value)
			}
			if !slices.Equal(env, v.env) {
				t.Errorf("the environment is %q, want %q", env, v.env)
			}
		})
	}
}

// checkMounts looks that each mount has its volume, and that the Secrets are where they should be
// and readable for nobody else.
func checkMounts(t *testing.T, pod corev1.PodSpec, want map[string]string) {
	t.Helper()
	volumes := map[string]corev1.Volume{}
	for _, volume := range pod.Volumes {
		volumes[volume.Name] = volume
	}
	secrets := 0
	for _, mount := range pod.Containers[0].VolumeMounts {
		volume, ok := volumes[mount.Name]
		if !ok {
			t.Errorf("there is no volume %s", mount.Name)
		}
		if volume.Secret == nil {
			continue
		}
		secrets++
		if volume.Secret.SecretName != want[mount.MountPath] || !mount.ReadOnly || *volume.Secret.DefaultMode != 0o440 {
			t.Errorf("%s has the Secret %s with mode %o", mount.MountPath, volume.Secret.SecretName, *volume.Secret.DefaultMode)
		}
	}
	if secrets != len(want) || len(pod.Volumes) != len(pod.Containers[0].VolumeMounts) {
		t.Errorf("%d Secrets are mounted, want %d; %d volumes", secrets, len(want), len(pod.Volumes))
	}
}

// The pod has no rights beyond those of its service account, and the probes ask where the daemon
// answers.
func TestPodIsConfined(t *testing.T) {
	pod := deployment(t, objects(t, "lab", variants()[0].values)).Spec.Template.Spec
	container := pod.Containers[0]
	if !*pod.SecurityContext.RunAsNonRoot || *pod.SecurityContext.RunAsUser == 0 || pod.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("the pod's security context is %+v", pod.SecurityContext)
	}
	s := container.SecurityContext
	if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" || s.Privileged != nil {
		t.Errorf("the container's security context is %+v", s)
	}
	if *pod.EnableServiceLinks || pod.HostNetwork || pod.HostPID {
		t.Error("the pod sees what is not its own")
	}
	port := container.Ports[0]
	for path, probe := range map[string]*corev1.Probe{"/healthz": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
		if probe.HTTPGet.Path != path || probe.HTTPGet.Port.String() != port.Name {
			t.Errorf("the probe of %s asks %+v", path, probe.HTTPGet)
		}
	}
	if !slices.Contains(container.Args, "--listen=:8080") || port.ContainerPort != 8080 {
		t.Errorf("the daemon listens elsewhere than on port %d", port.ContainerPort)
	}
}

func TestChartRefuses(t *testing.T) {
	for want, given := range map[string]values{
		"repo.url is required": {},
		"passwort is none of":  {"repo": values{"url": exampleURL, "secret": "git", "secretKeys": []any{"passwort"}}},
		"everybody's commits":  {"repo": values{"url": exampleURL, "secretKeys": []any{"signers"}}},
		"own namespace":        {"repo": values{"url": exampleURL}, "deployer": values{"namespaces": []any{"openstack", "lab"}}},
		// Nobody becomes an administrator of the cluster by a list that happens to be empty, also not with old values.
		"is empty: write the namespaces of the cloud": {"repo": values{"url": exampleURL}, "deployer": values{"namespaces": []any{}}},
		"deployer.enabled=false":                      {"repo": values{"url": exampleURL}, "deployer": values{"namespaces": nil}},
		"is no list":                                  {"repo": values{"url": exampleURL}, "deployer": values{"namespaces": "openstack"}},
		// What a slip makes of a list stands for the daemon's own namespace where a binding bears it.
		`has "", which is no name`:      {"repo": values{"url": exampleURL}, "deployer": values{"namespaces": []any{"openstack", ""}}}, // {openstack,}
		`has " lab", which is no name`:  {"repo": values{"url": exampleURL}, "deployer": values{"namespaces": []any{"openstack", " lab"}}},
		`has "<nil>", which is no name`: {"repo": values{"url": exampleURL}, "deployer": values{"namespaces": []any{nil}}},
		`has "lab\n", which is no name`: {"repo": values{"url": exampleURL}, "deployer": values{"namespaces": []any{"lab\n"}}},
	} {
		if _, err := render("lab", given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", given, err, want)
		}
	}
}
