package cluster

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

//go:embed stages
var stageFiles embed.FS

// stageValues is what the stages depend on.
type stageValues struct {
	Player            bool   // pods with LabelApplication wait for a player
	KubernetesVersion string // the version that the kubelets report
	DefaultLog        string // the file with what a pod says that has no Logs object
}

// renderStages returns kwok's configuration: the stages of stages/ and the default log.
//
// The stage files are templates with [[ ]], because kwok's own templates use {{ }}. Two
// functions keep them free of repetition: `when` puts pod.jq before an expression, `status`
// makes a patch of a status and puts pod.tmpl before it. Both return a quoted YAML scalar.
func renderStages(values stageValues) ([]byte, error) {
	expressions, err := stageFiles.ReadFile("stages/pod.jq")
	if err != nil {
		return nil, err
	}
	definitions, err := stageFiles.ReadFile("stages/pod.tmpl")
	if err != nil {
		return nil, err
	}
	functions := template.FuncMap{
		"when": func(expression string) (string, error) {
			return quote(fmt.Sprintf("def player: %t;\n%s\n%s", values.Player, expressions, expression))
		},
		"status": func(text string) (string, error) {
			return quote(string(definitions) + "\n" + statusPatch + indent(text))
		},
		"quote": quote,
	}
	names, err := fs.Glob(stageFiles, "stages/*.yaml")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, name := range names {
		text, err := stageFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		parsed, err := template.New(name).Delims("[[", "]]").Funcs(functions).Option("missingkey=error").Parse(string(text))
		if err != nil {
			return nil, err
		}
		out.WriteString("---\n")
		if err := parsed.Execute(&out, values); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// quote returns text as a JSON string, which is a YAML scalar as well.
func quote(text string) (string, error) {
	data, err := json.Marshal(text)
	return string(data), err
}

// statusPatch is refused when somebody has written the pod since its kubelet looked. Without
// the resourceVersion one of kwok's parallel workers could overwrite what another did with a
// newer version of the same pod. The event of that newer version makes good for the loss.
const statusPatch = "metadata: {resourceVersion: {{ .metadata.resourceVersion | Quote }}}\nstatus:\n"

// indent gives the first line two spaces of indentation, as the lines of pod.tmpl have, and
// moves the others along.
func indent(text string) string {
	text = strings.TrimLeft(text, "\n")
	have := text[:len(text)-len(strings.TrimLeft(text, " "))]
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = "  " + strings.TrimPrefix(line, have)
	}
	return strings.Join(lines, "\n")
}
