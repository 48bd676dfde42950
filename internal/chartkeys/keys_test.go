package chartkeys_test

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
)

// defaults are the values of a small chart in the manner of OpenStack-Helm.
const defaults = `
release_group: null
labels: {api: {node_selector_key: control-plane}, job: {node_selector_key: control-plane}}
images: {tags: {api: api:1, db_sync: api:1}, pull_policy: Always}
pod: {replicas: {api: 1, engine: 1}, resources: {enabled: false, api: {limits: {memory: 1Gi}}}, mounts: {api: {}}}
conf:
  app: {DEFAULT: {debug: false}}
  paste: {}
  policy: {admin: "role:admin"}
  wsgi: "Listen {{ .Values.listen.port }} {{ index .Values.tuning \"threads\" }}"
network: {api: {ingress: {public: true}, node_port: {enabled: false}}}
nodeSelector: {kubernetes.io/os: linux}
endpoints: {identity: {hosts: {default: keystone}, auth: {admin: {username: admin, password: x}}}, image: {path: {default: /}}}
dependencies: {static: {api: {jobs: [db-sync]}}}
bootstrap: {enabled: true, script: "true"}
volume: {size: 5Gi, class_name: general}
sidecar: {image: s, port: 1}
manifests: {deployment_api: true, job_db_sync: true}
`

// templates read them.
func templates() map[string]string {
	return map[string]string{
		"api.yaml": `{{- $envAll := . }}
{{- if .Values.manifests.deployment_api }}
image: {{ .Values.images.tags.api }} {{ .Values.images.pull_policy }}
replicas: {{ .Values.pod.replicas.api }}
nodeSelector: {{ toYaml .Values.nodeSelector }}
{{- if and .Values.network.api.node_port.enabled (not .Values.network.api.external) }}{{ end }}
{{- with .Values.network.api }}{{ .ingress.public }}{{ end }}
{{ tuple $envAll .Values.pod.resources.api | include "resources" }}
{{ include "to_conf" .Values.conf.app }}
{{ if hasKey .Values.pod "lifecycle" }}{{ end }}
{{ if .Values.bootstrap.enabled }}{{ .Values.bootstrap.script }}{{ end }}
{{ .Values.volume.size }} {{ .Values.volume.class_name }}
{{- $side := .Values.sidecar }}{{ $side.image }}
{{ .Values.manifests.job_bootstrap }}
{{- end }}`,
		"toolkit.tpl": `{{ define "resources" }}{{ . }}{{ end }}{{ define "dependencies" }}
{{ index .Values.dependencies.static .component | toYaml }}{{ range $k, $v := .Values.endpoints }}{{ end }}
{{ range .jobs }}{{ index $.Values.manifests (printf "job_%s" .) }}{{ end }}
{{ index .envAll.Values.images.tags "db_sync" }}{{ .conf | toYaml }}{{ end }}`,
	}
}

func known(t *testing.T) *chartkeys.Keys {
	t.Helper()
	return chartkeys.New(chartkeys.Chart{
		Defaults: tree(t, defaults), Templates: templates(), Others: []string{"redis", "helm-toolkit", ""},
		Toolkit: true,
		Files:   []string{"no template .Values.nothing", "{{ .Values.from_file }} and {{ broken but_named"},
	})
}

func TestUnknown(t *testing.T) {
	k := known(t)
	for written, want := range map[string]string{
		// The top.
		"replicas: 2":           "replicas: did you mean pod.replicas?",
		"pods: {replicas: 1}":   "pods: did you mean pod?",
		"something: {else: 1}":  "something: there are: bootstrap, conf, dependencies, endpoints, images, labels, manifests, network, nodeSelector, pod, release_group, sidecar, volume",
		"image: x":              "image: did you mean images?",
		"lifecycle: {x: 1}":     "lifecycle: there are: bootstrap, conf, dependencies, endpoints, images, labels, manifests, network, nodeSelector, pod, release_group, sidecar, volume",
		"tuning: {threads: 2}":  "",
		"listen: {port: 80}":    "",
		"from_file: 1":          "",
		"but_named: 1":          "",
		"redis: {anything: 1}":  "",
		"global: {anything: 1}": "",
		"release_group: {a: 1}": "",
		// Maps that are closed.
		"pod: {replica: {api: 2}}":              "pod.replica: did you mean pod.replicas?",
		"pod: {replicas: {apis: 2}}":            "pod.replicas.apis: did you mean pod.replicas.api?",
		"pod: {replicas: {worker: 2}}":          "pod.replicas.worker: there are: api, engine",
		"pod: {lifecycle: {x: 1}}":              "pod.lifecycle.x: there are: disruption_budget, termination_grace_period, upgrades",
		"images: {tags: {apii: x}}":             "images.tags.apii: did you mean images.tags.api?",
		"images: {tags: {unlike: x}}":           "images.tags.unlike: there are: api, db_sync",
		"images: {pull_polic: x}":               "images.pull_polic: did you mean images.pull_policy?",
		"manifests: {deployment_apo: false}":    "manifests.deployment_apo: did you mean manifests.deployment_api?",
		"manifests: {job_of_ours: false}":       "",
		"manifests: {job_bootstrap: false}":     "",
		"conf: {ap: {DEFAULT: {debug: true}}}":  "conf.ap: did you mean conf.app?",
		"conf: {api: {x: 1}, app: {y: {z: 1}}}": "conf.api: did you mean conf.app?",
		// What goes to programs, and what the chart has nothing in.
		"conf: {app: {DEFAUL: {debg: true}}}":        "",
		"conf: {paste: {a: 1}, policy: {admin2: x}}": "",
		"pod: {mounts: {api: {b: 1}}}":               "",
		// Maps that are handed on, or looked into for computed names.
		"nodeSelector: {kubernetes.io/oss: linux}": "",
		// Those whose keys all charts share: what looks like one of them.
		"pod: {resources: {api: {limit: {memory: 1}}}}":         "pod.resources.api.limit: did you mean pod.resources.api.limits?",
		"pod: {resources: {apii: {limits: {memory: 1}}}}":       "pod.resources.apii: did you mean pod.resources.api?",
		"pod: {resources: {engine: {limits: {memory: 1}}}}":     "",
		"endpoints: {identityy: {hosts: {defaul: x}}}":          "endpoints.identityy: did you mean endpoints.identity?",
		"endpoints: {identity: {hosts: {defaul: x}, host: {}}}": "endpoints.identity.host: did you mean endpoints.identity.hosts?\nendpoints.identity.hosts.defaul: did you mean endpoints.identity.hosts.default?",
		"endpoints: {identity: {hosts: {public: x}, path: {}}}": "",
		"endpoints: {identity: {auth: {admi: {password: p}}}}":  "",
		"endpoints: {identity: {auth: {admin: {passwor: p}}}}":  "endpoints.identity.auth.admin.passwor: did you mean endpoints.identity.auth.admin.password?",
		"endpoints: {compute: {hosts: {default: nova}}}":        "",
		"dependencies: {static: {apii: {job: []}}}":             "",
		"sidecar: {prt: 1}":                         "",
		"network: {api: {extrenal: 1, ingres: {}}}": "",
		// Maps that only names lead into: what looks like one of them, and nothing else.
		"bootstrap: {enable: false}":  "bootstrap.enable: did you mean bootstrap.enabled?",
		"bootstrap: {unlike: false}":  "",
		"volume: {siz: 9Gi, size: 1}": "volume.siz: did you mean volume.size?",
		// Several at once, and templates in what is written itself.
		"pod: {replica: {api: 1}, replicas: {engin: 1}}\nvolum: {size: 1}": "pod.replica: did you mean pod.replicas?\npod.replicas.engin: did you mean pod.replicas.engine?\nvolum: did you mean volume?",
		"bootstrap: {enable: 1, script: '{{ toYaml .Values.bootstrap }}'}": "",
		"pod: {size: 1}": "pod.size: there are: mounts, replicas, resources",
		"extra: {name: x}\nconf: {wsgi: \"{{ .Values.extra.name }}\"}": "",
		"extra: {name: x}\nconf: {wsgi: \".Values.extra.name\"}":       "extra: ",
	} {
		values := tree(t, written)
		paths := pathsOf(values, nil)
		var told []string
		for _, u := range k.Unknown(paths, values) {
			told = append(told, strings.Join(paths[u.Index], ".")+": "+u.Hint)
		}
		got := strings.Join(told, "\n")
		if got != want && (!strings.HasSuffix(want, ": ") || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %q, want %q", written, got, want)
		}
	}
}

// TestTop is about the top of charts of OpenStack-Helm: a word that templates have for something else is not read there,
// unless the values may have come to where it is read.
func TestTop(t *testing.T) {
	const elsewhere = `{{ define "z" }}{{ .extra }}{{ index .m "extra" }}{{ list "extra" | toYaml }}{{ end }}`
	for _, test := range []struct {
		template string
		read     bool
	}{
		{"", false},
		{`{{ .Values.other.extra }}{{ index .Values.other "extra" }}`, false},
		{`{{ if .Values }}{{ if and (not .Values) .x }}{{ end }}{{ end }}`, false},
		{`{{ $_ := set .Values "mark" .x }}{{ $_ := unset .Values "mark" }}`, false},
		// The library makes such copies, and reads them as the values.
		{`{{ $c := omit (omit (.Values | toYaml | fromYaml) "conf") "mark" }}{{ $d := dict "Values" (mergeOverwrite $c .x) }}{{ include "z" $d }}`, false},
		{`{{ $d := .x }}{{ $_ := set $d "Values" (omit .Values "conf") }}{{ include "z" $d }}`, false},
		{`{{ if .x }}{{ $c := omit .Values "conf" }}{{ end }}{{ $c := .x }}{{ include "z" $c }}`, false},
		{`{{ index (index . 0) "Values" "other" "extra" }}`, false},
		{`{{ index .Values "other" "extra" }}{{ index .Values "other" .key }}`, false},
		{`{{ tpl (printf "{{ .x.%s | toYaml }}" "extra") . }}`, false},

		{`{{ .Values.extra }}`, true},
		{`{{ $.Values.extra.inside }}`, true},
		{`{{ (index . 0).Values.extra }}`, true},
		{`{{ index .Values "extra" }}`, true},
		{`{{ index . "Values" "extra" "inside" }}`, true},
		{`{{ index (index . 0) "Values" "extra" }}`, true},
		{`{{ index . 0 "Values" "extra" "inside" }}`, true},
		{`{{ range list "extra" }}{{ index $ "Values" . }}{{ end }}`, true},
		{`{{ get .Values "extra" }}`, true},
		{`{{ if hasKey $.Values "extra" }}{{ end }}`, true},
		{`{{ index .Values .key }}`, true},
		{`{{ pick .Values "extra" }}`, true},
		{`{{ dig "extra" 1 .Values }}`, true},
		{`{{ (pluck "Values" . | first).extra }}`, true},
		{`{{ $k := "Values" }}{{ (index . $k).extra }}`, true},
		{`{{ toYaml .Values }}`, true},
		{`{{ with .Values }}{{ .extra }}{{ end }}`, true},
		{`{{ range $k, $v := .Values }}{{ end }}`, true},
		{`{{ template "z" .Values }}`, true},
		{`{{ include "z" .Values }}`, true},
		{`{{ .Values | include "z" }}`, true},
		{`{{ include "z" (dict "all" .Values) }}`, true},
		{`{{ tuple . .Values | include "z" }}`, true},
		{`{{ $v := .Values }}{{ if $v.extra }}{{ end }}`, true},
		{`{{ $v := index . "Values" }}{{ if $v.extra }}{{ end }}`, true},
		{`{{ $v := .Values }}{{ if index $v "extra" }}{{ end }}`, true},
		{`{{ $d := dict "all" .Values }}{{ if $d.all.extra }}{{ end }}`, true},
		{`{{ $d := dict "all" .Values }}{{ $v := index $d "all" }}{{ if $v.extra }}{{ end }}`, true},
		{`{{ $d := dict }}{{ $_ := set $d "all" .Values }}{{ include "z" $d }}`, true},
		{`{{ $d := dict }}{{ $_ := merge $d .Values }}{{ include "z" $d }}`, true},
		{`{{ $_ := set .x "all" .Values }}`, true},
		{`{{ $d := .x }}{{ range .l }}{{ include "z" $d }}{{ $d = omit $.Values "conf" }}{{ end }}`, true},
		{`{{ $d := .x }}{{ if .y }}{{ $d = $.Values }}{{ end }}{{ $e := $d }}{{ include "z" $e }}`, true},
		// Templates that are put together.
		{`{{ tpl (printf "{{ .Values.%s | toYaml }}" "extra") . }}`, true},
		{`{{ tpl (cat "{{ .Values." "extra" "}}") . }}`, true},
		{`{{ $k := "extra" }}{{ tpl (print "{{ .Values." $k " }}") . }}`, true},
	} {
		k := chartkeys.New(chartkeys.Chart{
			Defaults: map[string]any{"pod": map[string]any{}, "other": map[string]any{"a": 1}, "extras": map[string]any{"a": 1}}, Templates: map[string]string{"a": elsewhere, "b": test.template}, Toolkit: true,
		})
		if told := k.Unknown([][]string{{"extra"}}, nil); test.read != (len(told) == 0) {
			t.Errorf("%s: it reads the key: %t, want %t", test.template, len(told) == 0, test.read)
		}
	}
}

// TestTopOfTexts hands the values on between the templates of a chart of OpenStack-Helm and texts that are written beside a key, or
// that the chart has among its values.
func TestTopOfTexts(t *testing.T) {
	const hands, whole = `{{ tpl .Values.text . }}`, `{{ tpl .Values.text .Values }}`
	for _, test := range []struct {
		template, text string
		defaults       bool // the text is the chart's own
		read           bool
	}{
		{hands, `{{ .extra }}`, false, false},
		{hands, `{{ .extra }}`, true, false},
		{hands, `{{ include "helper" . }}`, false, false},
		{whole, `{{ .other }}`, false, false},

		{hands, `{{ index $.Values "extra" }}`, false, true},
		{hands, `{{ $v := .Values }}{{ range list "extra" }}{{ index $v . }}{{ end }}`, false, true},
		{hands, `{{ include "helper" .Values }}`, false, true},
		{hands, `{{ include "pick" (list . "extra") }}`, false, true},
		{whole, `{{ .extra }}`, false, true},
		{whole, `{{ .extra }}`, true, true},
		{`{{ with .Values }}{{ tpl .text . }}{{ end }}`, `{{ .extra }}`, false, true},
		{`{{ tpl .Values.text (dict "v" .Values) }}`, `{{ .v.extra }}`, false, true},
		{`{{ tpl (toYaml .Values.text) $.Values }}`, `{{ .extra }}`, false, true},
	} {
		chart := chartkeys.Chart{
			Defaults: map[string]any{"pod": map[string]any{}, "text": ""}, Toolkit: true,
			Templates: map[string]string{"a": test.template},
		}
		if strings.Contains(test.text, "helper") {
			chart.Templates["helper"] = `{{ define "helper" }}{{ .extra }}{{ end }}`
		}
		if strings.Contains(test.text, "pick") {
			chart.Templates["pick"] = `{{ define "pick" }}{{ $v := (index . 0).Values }}{{ index $v (index . 1) }}{{ end }}`
		}
		values := map[string]any{"text": test.text}
		if test.defaults {
			chart.Defaults["text"], values = test.text, nil
		}
		if told := chartkeys.New(chart).Unknown([][]string{{"extra"}}, values); test.read != (len(told) == 0) {
			t.Errorf("%s with %s: it reads the key: %t, want %t", test.template, test.text, len(told) == 0, test.read)
		}
	}
}

// TestGeneral is about charts that OpenStack-Helm has nothing to do with: what is not read has to look like
// another key, wherever it is.
func TestGeneral(t *testing.T) {
	const values = "image: {tag: x}\nservice: {port: 80}\nconf: {a: {b: {level: x}}}\n"
	const reading = "{{ .Values.image.tag }}{{ .Values.service.port }}{{ .Values.conf.a.b.level }}"
	for template, want := range map[string]string{
		"": "conf.a.b.levl imag service.prt",
		`{{ $x := .Values }}{{ index $x "image" "tg" }}`:                              "",
		`{{ include "x" (dict "values" .Values) }}`:                                   "",
		`{{ toYaml .Values.conf }}`:                                                   "imag service.prt",
		`{{ index . "Values" "conf" "a" | toYaml }}`:                                  "imag service.prt",
		`{{ index .Values.conf.a .key "level" }}`:                                     "imag service.prt",
		`{{ index (index .Values "conf") "a" }}`:                                      "imag service.prt",
		`{{ if $x := .Values.service }}{{ $x | toYaml }}{{ end }}`:                    "conf.a.b.levl imag",
		`{{ if and .Values.service (not .Values.conf.a) }}{{ end }}`:                  "conf.a.b.levl imag service.prt",
		`{{ if hasKey .Values.service "port" }}{{ end }}`:                             "conf.a.b.levl imag service.prt",
		`{{ with .Values.service }}{{ .port }}{{ end }}`:                              "conf.a.b.levl imag",
		`{{ define "x" }}{{ range .values.conf.a }}{{ end }}{{ end }}`:                "imag service.prt",
		`{{ (index .Values.conf "a").b.levl }}{{ template "y" .Values.image.tag }}`:   "imag service.prt",
		`{{ dig "service" "prt" 1 (get .Values "conf") }}{{ else_is_broken`:           "",
		`{{ .Values.imag | default "x" }}{{ "{{ .Values.service.prt }}" | quote }}`:   "conf.a.b.levl",
		`{{ range $i, $v := .list }}{{ $v.prt }}{{ else }}{{ $.Values.imag }}{{end}}`: "conf.a.b.levl",
	} {
		k := chartkeys.New(chartkeys.Chart{Defaults: tree(t, values), Templates: map[string]string{"a": reading, "b": template}})
		paths := [][]string{{"conf", "a", "b", "levl"}, {"imag"}, {"service", "prt"}, {"unlike"}, {"service", "unlike"}}
		var told []string
		for _, u := range k.Unknown(paths, nil) {
			told = append(told, strings.Join(paths[u.Index], "."))
		}
		if got := strings.Join(told, " "); got != want {
			t.Errorf("%s: %q is unknown, want %q", template, got, want)
		}
	}
}

func TestKnowsNothing(t *testing.T) {
	for name, k := range map[string]*chartkeys.Keys{
		"nothing":                  nil,
		"no values":                chartkeys.New(chartkeys.Chart{}),
		"a template with mistakes": chartkeys.New(chartkeys.Chart{Defaults: tree(t, defaults), Templates: map[string]string{"a": "{{ if }}"}}),
	} {
		if got := k.Unknown([][]string{{"replicas"}, {"pod", "replica"}, {}}, nil); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func tree(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	return values
}

func pathsOf(values map[string]any, at []string) [][]string {
	var found [][]string
	for key, v := range values {
		path := append(slices.Clone(at), key)
		inner, _ := v.(map[string]any)
		found = append(append(found, path), pathsOf(inner, path)...)
	}
	slices.SortFunc(found, slices.Compare)
	return found
}
