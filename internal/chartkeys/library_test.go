package chartkeys_test

import (
	"maps"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartkeys"
)

// TestLibrary is about a template of the library of OpenStack-Helm that reads a key: it counts where something leads to it.
func TestLibrary(t *testing.T) {
	const reading = `{{ define "lib.a.reads" }}{{ .Values.extra.size | toYaml }}{{ end }}`
	for _, test := range []struct {
		name, template string
		also           map[string]string // templates of the library
		read           bool
	}{
		{name: "nothing", template: ""},
		{name: "another", template: `{{ include "lib.a.other" . }}`, also: map[string]string{"_other.tpl": `{{ define "lib.a.other" }}{{ .x }}{{ end }}`}},
		{name: "from what nothing leads to", template: "", also: map[string]string{"_other.tpl": `{{ define "lib.a.other" }}{{ include "lib.a.reads" . }}{{ end }}`}},
		{name: "a longer name than that of another", template: `{{ include "lib.a" . }}`, also: map[string]string{"_a.tpl": `{{ define "lib.a" }}{{ .x }}{{ end }}`}},
		{name: "a file beside", template: `{{ $n := .Template.Name | replace "a.yaml" "_b.tpl" }}{{ include $n . }}`},

		{name: "include", template: `{{ include "lib.a.reads" . }}`, read: true},
		{name: "piped", template: `{{ tuple . 1 | include "lib.a.reads" | indent 2 }}`, read: true},
		{name: "template", template: `{{ template "lib.a.reads" . }}`, read: true},
		{name: "in a branch", template: `{{ if .x }}{{ else with .y }}{{ range .z }}{{ template "lib.a.reads" . }}{{ end }}{{ end }}`, read: true},
		{name: "a definition of the chart", template: `{{ define "own" }}{{ include "lib.a.reads" . }}{{ end }}`, read: true},
		{name: "by another", template: `{{ include "lib.a.other" . }}`, also: map[string]string{"_other.tpl": `{{ define "lib.a.other" }}{{ include "lib.a.reads" . }}{{ end }}`}, read: true},
		{name: "handed to another", template: `{{ list . "lib.a.reads" | include "lib.a.other" }}`, also: map[string]string{"_other.tpl": `{{ define "lib.a.other" }}{{ $n := index . 1 }}{{ include $n (index . 0) }}{{ end }}`}, read: true},
		{name: "of two of one name", template: `{{ include "lib.a.other" . }}`, also: map[string]string{
			"_one.tpl": `{{ define "lib.a.other" }}{{ .x }}{{ end }}`, "_two.tpl": `{{ define "lib.a.other" }}{{ include "lib.a.reads" . }}{{ end }}`,
		}, read: true},
		{name: "put together", template: `{{ include (printf "lib.%s" .x) . }}`, read: true},
		{name: "put together of texts", template: `{{ $n := print "lib." .x }}{{ include $n . }}`, read: true},
		{name: "put together of the whole name of another", template: `{{ include (printf "lib.a%s" .x) . }}`, also: map[string]string{"_a.tpl": `{{ define "lib.a" }}{{ .x }}{{ end }}`}, read: true},
		{name: "a text of a template", template: `{{ tpl "{{ include \"lib.a.reads\" . }}" . }}`, read: true},
		{name: "a file", template: `{{ include "_file.tpl" . }}`, also: map[string]string{"_file.tpl": `{{ include "lib.a.reads" . }}`}, read: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			chart := chartkeys.Chart{
				Defaults: tree(t, "pod: {a: 1}\nother: {a: 1}"), Toolkit: true,
				Templates: map[string]string{"a.yaml": test.template}, Library: map[string]string{"_reads.tpl": reading},
			}
			maps.Copy(chart.Library, test.also)
			if told := chartkeys.New(chart).Unknown([][]string{{"extra"}}, nil); test.read != (len(told) == 0) {
				t.Errorf("it reads the key: %t, want %t", len(told) == 0, test.read)
			}
		})
	}
}

// TestLibraryOfTexts leads to such a template from texts of the chart, and from those that are written beside the key.
func TestLibraryOfTexts(t *testing.T) {
	for _, text := range []string{
		`{{ include "lib.reads" . }}`, `lib.reads`, `lib.%s`, `{{ include "lib.between" . }}`, `{{ include "lib.reads" . }} and {{ broken`,
	} {
		chart := chartkeys.Chart{
			Defaults: map[string]any{"pod": map[string]any{"a": 1}, "text": ""}, Toolkit: true, Templates: map[string]string{"a.yaml": `{{ tpl .Values.text . }}`},
			Library: map[string]string{
				"_reads.tpl":   `{{ define "lib.reads" }}{{ .Values.extra }}{{ index .Values.pod .x }}{{ end }}`,
				"_between.tpl": `{{ define "lib.between" }}{{ include "lib.reads" . }}{{ end }}`,
			},
		}
		written := [][]string{{"extra"}, {"pod", "b"}}
		keys := chartkeys.New(chart)
		if told := keys.Unknown(written, map[string]any{"text": "none"}); len(told) != 2 {
			t.Errorf("without a text that leads to it %d keys are told", len(told))
		}
		if told := keys.Unknown(written, map[string]any{"text": text}); len(told) != 0 {
			t.Errorf("%s that is written: %d keys are told", text, len(told))
		}
		chart.Defaults["text"] = text
		if told := chartkeys.New(chart).Unknown(written[:1], nil); len(told) != 0 {
			t.Errorf("%s of the chart: %d keys are told", text, len(told))
		}
		chart.Defaults["text"], chart.Files = "", []string{text}
		if told := chartkeys.New(chart).Unknown(written[:1], nil); text[0] == '{' && len(told) != 0 {
			t.Errorf("%s in a file: %d keys are told", text, len(told))
		}
	}
}

// TestCalledAsAtTop hands on what is called as a map at the top: it is that map only where the values may have come there.
func TestCalledAsAtTop(t *testing.T) {
	for _, test := range []struct {
		template, text string
		told           bool
	}{
		{`{{ toYaml .volume }}{{ range $k, $v := .deps.volume }}{{ end }}{{ index .volume .x }}`, "", true},
		{`{{ toYaml .Values.volume }}`, "", false},
		{`{{ with .Values.volume }}{{ toYaml . }}{{ end }}`, "", false},
		{`{{ $v := .Values }}{{ toYaml $v.volume }}`, "", false},
		{`{{ define "x" }}{{ toYaml .volume }}{{ end }}{{ include "x" .Values }}`, "", false},
		{`{{ toYaml .a.volume }}{{ tpl .Values.text . }}`, `{{ $v := .Values }}{{ toYaml $v.volume }}`, false},
		{`{{ define "x" }}{{ toYaml .volume }}{{ end }}{{ tpl .Values.text . }}`, `{{ include "x" .Values }}`, false},
		{`{{ toYaml .volume }}{{ tpl .Values.text . }}`, `{{ .Values.other }}`, true},
	} {
		keys := chartkeys.New(chartkeys.Chart{
			Defaults: tree(t, "volume: {size: 1, name: x}\ntext: ''"), Toolkit: true, Templates: map[string]string{"a.yaml": test.template},
		})
		told := keys.Unknown([][]string{{"volume", "siz"}}, map[string]any{"text": test.text})
		if test.told != (len(told) == 1) {
			t.Errorf("%s with %q: told: %t, want %t", test.template, test.text, len(told) == 1, test.told)
		}
	}
}
