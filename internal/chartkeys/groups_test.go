package chartkeys_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
)

// TestGroups is about what the library looks for below overrides: what it does not know there it leaves away without a word.
func TestGroups(t *testing.T) {
	const (
		below = `{{- $daemonset := "compute" }}{{ list $daemonset . | include "helm-toolkit.utils.daemonset_overrides" }}`
		other = `{{- $daemonset := "other-agent" }}{{ list $daemonset . | include "helm-toolkit.utils.daemonset_overrides" }}`
		root  = `{{- $daemonset := "libvirt" }}{{ list $daemonset . | include "helm-toolkit.utils.daemonset_overrides_root" }}`
		open  = `{{- $daemonset := .Values.name }}{{ list $daemonset . | include "helm-toolkit.utils.daemonset_overrides" }}`
	)
	hosts := func(element map[string]any) map[string]any {
		return map[string]any{"conf": map[string]any{"overrides": map[string]any{"a_compute": map[string]any{"hosts": []any{element}}}}}
	}
	for path, test := range map[string]struct {
		templates []string
		values    map[string]any
		want      string // with what is within, and the hint
	}{
		"conf.overrides.a_compute":                         {templates: []string{below, other}},
		"conf.overrides.a_other-agent":                     {templates: []string{below, other}},
		"conf.overrides.a_compte":                          {templates: []string{below, other}, want: " did you mean conf.overrides.a_compute?"},
		"conf.overrides.a_other_agent":                     {templates: []string{below, other}, want: " did you mean conf.overrides.a_other-agent?"},
		"conf.overrides.a_compute.hosts":                   {templates: []string{below}, values: hosts(map[string]any{"name": "n", "conf": nil})},
		"conf.overrides.a_compute.hostz":                   {templates: []string{below}, want: " did you mean conf.overrides.a_compute.hosts?"},
		"conf.overrides.a_compute.labels":                  {templates: []string{below}},
		"conf.overrides.a_compte.hosts":                    {templates: []string{below}}, // its name is told
		"conf.overrides.a_any":                             {templates: []string{below, open}},
		"conf.overrides.a_none":                            {templates: []string{root}},
		"overrides.a_libvrt":                               {templates: []string{root}, want: " did you mean overrides.a_libvirt?"},
		"overrides.a_libvirt.labels.x::y":                  {templates: []string{root}},
		"overrides.a_libvirt.overrides_default":            {templates: []string{root}},
		"overrides.a_libvirt.lables":                       {templates: []string{root}, want: " did you mean overrides.a_libvirt.labels?"},
		"conf.overrides.a_compute.hosts of something else": {templates: []string{below}, values: hosts(map[string]any{"nam": "n"}), want: "[0].nam did you mean name?"},
	} {
		name, _, _ := strings.Cut(path, " of ")
		c := chartkeys.Chart{Name: "a", Toolkit: true, Templates: map[string]string{}, Defaults: map[string]any{"conf": map[string]any{}, "overrides": map[string]any{}}}
		for i, text := range test.templates {
			c.Templates[strings.Repeat("t", i+1)] = text
		}
		got := ""
		for _, u := range chartkeys.New(c).Unknown([][]string{strings.Split(name, ".")}, test.values) {
			got += u.Within + " " + u.Hint
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", path, got, test.want)
		}
	}
}

// TestKeysOfJobs: what is said of one job is read by names that all of them share, though the map is handed on.
func TestKeysOfJobs(t *testing.T) {
	c := chartkeys.Chart{
		Toolkit:   true,
		Templates: map[string]string{"a": `{{ toYaml .Values.jobs }}{{ range $name, $job := .Values.jobs }}{{ $job.cron }}{{ $job.suspend }}{{ end }}`},
		Defaults: map[string]any{"jobs": map[string]any{
			"db_purge": map[string]any{"cron": "x", "history": map[string]any{"success": 1}}, "clean": map[string]any{"crow": 1, "cron": "x"},
		}},
	}
	for path, want := range map[string]string{
		"jobs.db_purge.crn":            "did you mean jobs.db_purge.cron?",
		"jobs.db_purge.history.succes": "did you mean jobs.db_purge.history.success?",
		"jobs.db_purge.crow":           "", // another one has it
		"jobs.db_purge.suspend":        "",
		"jobs.db_purge.of_ours":        "",
		"jobs.db_purg.cron":            "", // a job's name
	} {
		got := ""
		for _, u := range chartkeys.New(c).Unknown([][]string{strings.Split(path, ".")}, nil) {
			got += u.Hint
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
