package explain_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/explain"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

func load(tb testing.TB) (*model.Model, *resolve.Evaluator) {
	tb.Helper()
	return loadFrom(tb, os.DirFS("testdata/cloud"))
}

func loadFrom(tb testing.TB, files fs.FS) (*model.Model, *resolve.Evaluator) {
	tb.Helper()
	cfg, diags := config.Load(schema.New(), files, ".", config.DefaultLimits())
	m, e, more := resolve.Resolve(cfg, nil)
	if m == nil {
		tb.Fatalf("%v, %v", diags, more)
	}
	return m, e
}

// What many layers have of many values would be an answer that nobody can read, and that costs more time and
// memory than a repository may.
func TestAnswerIsBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString(`cloud "lab" {
  release = "2026.1"
  profile = profile.p0
  charts {
    repository = "oci://charts.example.org/openstack-helm"
  }
  service "nova" {}
}
locals {
  many = { for i in range(10) : "k${i}" => { for j in range(400) : "v${j}" => j } }
}
node "w" {
  roles   = ["compute"]
  profile = profile.p14
}
`)
	for i := range 15 {
		fmt.Fprintf(&text, "profile \"p%d\" {\n", i)
		if i > 0 {
			fmt.Fprintf(&text, "  from = profile.p%d\n", i-1)
		}
		text.WriteString("  service \"nova\" {\n    conf = { nova = local.many }\n  }\n}\n")
	}
	m, e := loadFrom(t, fstest.MapFS{"main.hcl": {Data: []byte(text.String())}})
	for _, question := range [][2]string{{"node.w", "nova"}, {"profile.p14", ""}, {"node.w", ""}} {
		answers, err := explain.Explain(m, e, question[0], question[1])
		if err == nil || !strings.Contains(err.Error(), "more than 50000 lines; ask for one") {
			t.Errorf("%q: %d answers, %v", question, len(answers), err)
		}
	}
	answers, err := explain.Explain(m, e, "profile.p11", "nova")
	if err != nil || len(answers) != 1 || len(answers[0].Values) != 4000 || len(answers[0].Values[0].Lower) != 11 {
		t.Errorf("%d answers, %v", len(answers), err)
	}
}

// questions are the arguments by the name of the file with the answer.
func questions() map[string][2]string {
	return map[string][2]string{
		"cloud":         {"cloud", ""},
		"service":       {"service.nova", ""},
		"plain-service": {"service.keystone", ""},
		"bare-service":  {"service.libvirt", ""},
		"node":          {"node.worker-7", ""},
		"plain-node":    {"node.worker-1", ""},
		"node-service":  {"node.worker-7", "nova"},
		"node-default":  {"node.worker-1", "nova"},
		"nodes":         {"node.rack", ""},
		"node-of-nodes": {`node.rack["fast"]`, "nova"},
		"profile":       {"profile.gpu", ""},
		"profile-of":    {"profile.site", "keystone"},
		"empty-profile": {"profile.empty", ""},
		"project":       {"project.dev", ""},
		"for-each":      {"network.web", ""},
		"nested":        {"security_group.web", ""},
		"dynamic":       {"security_group.made", ""},
		"instance":      {"instance.web", ""},
		"data":          {"data.network.public", ""},
	}
}

func TestExplain(t *testing.T) {
	m, e := load(t)
	for name, q := range questions() {
		t.Run(name, func(t *testing.T) {
			answers, err := explain.Explain(m, e, q[0], q[1])
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			fmt.Fprintf(&got, "$ explain %s\n", strings.TrimSpace(q[0]+" "+q[1]))
			if err := explain.Text(&got, answers); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", got.Bytes())
			document, err := json.MarshalIndent(answers, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if name == "node-service" {
				golden(t, name+".json", document)
			}
			for _, text := range []string{got.String(), string(document)} {
				if strings.Contains(text, "hunter") {
					t.Errorf("a secret is shown:\n%s", text)
				}
			}
			if strings.ContainsAny(got.String(), "\x1b\u202e") {
				t.Errorf("a character that a terminal acts on:\n%q", got.String())
			}
		})
	}
}

// TestBackends shows what volumes are kept in, without what is secret.
func TestBackends(t *testing.T) {
	m, e := loadFrom(t, os.DirFS("testdata/storage"))
	answers, err := explain.Explain(m, e, "service.cinder", "")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := explain.Text(&got, answers); err != nil {
		t.Fatal(err)
	}
	golden(t, "backends.txt", got.Bytes())
	document, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{got.String(), string(document)} {
		if strings.Contains(text, "hunter") {
			t.Errorf("a secret is shown:\n%s", text)
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestQuestionsWithoutAnswer(t *testing.T) {
	m, e := load(t)
	for _, c := range []struct {
		address, service, want string
		senseless              bool
	}{
		{"node.worker-8", "", "did you mean node.worker-1?", false},
		{`node.rack["fsat"]`, "", `did you mean node.rack["fast"]?`, false},
		{"nod.worker-7", "", "did you mean node.worker-7?", false},
		{"cloud.dem", "", "did you mean cloud.demo?", false},
		{"service.novae", "", "did you mean service.nova?", false},
		{"service.heat", "", "there are: service.keystone, service.libvirt, service.nova", false},
		{"profile.gpus", "", "did you mean profile.gpu?", false},
		{"network.wbe", "", `there is no network.wbe in this configuration; did you mean network.web?`, false},
		{`network.web["c"]`, "", `did you mean network.web["a"]?`, false},
		{"data.network.pulbic", "", "did you mean data.network.public?", false},
		{"project.old", "", "there is no project.old in this configuration; it is project.dev now, as statements.hcl:1 says", false},
		{`network.gone["x"]`, "", "it is not managed any more, as statements.hcl:9 says", false},
		{"subnet.gone", "", "it is to be deleted, as statements.hcl:15 says", false},
		{"router.edge", "", "there is no router.edge in this configuration", false},
		{"node.worker-7", "novva", "did you mean nova?", false},
		{"profile.gpu", "keystone", "profile.gpu has no settings of keystone; there are: nova", false},
		{"network.web", "nova", "ask for service.nova", true},
		{"service.nova", "nova", "ask for service.nova", true},
		{"node", "", "invalid address", true},
		{"", "", "invalid address", true},
		{"var.namespace", "", "invalid address", true},
	} {
		answers, err := explain.Explain(m, e, c.address, c.service)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, %v, want %q", c.address, c.service, answers, err, c.want)
		}
		if errors.Is(err, explain.ErrQuestion) != c.senseless {
			t.Errorf("%s %s: %v", c.address, c.service, err)
		}
	}
}
