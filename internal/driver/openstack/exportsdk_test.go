//go:build beds

package openstack_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// alike is how many objects of most kinds there are.
const alike = 6

// makesAll has another client make objects of all kinds, which go at the end. It returns the kind and the id of each.
func makesAll(t *testing.T, prefix string) [][2]string {
	t.Helper()
	cloud := sharedCloud(t)
	maker := exec.Command("/usr/bin/python3", "-W", "ignore", "testdata/sdk/make.py", prefix, strconv.Itoa(alike))
	maker.Env = append(os.Environ(), "OS_CLOUD="+cloud.Name)
	if cloud.CloudsYAML != "" {
		maker.Env = append(maker.Env, "OS_CLIENT_CONFIG_FILE="+cloud.CloudsYAML)
	}
	var told bytes.Buffer
	maker.Stderr = &told
	in, err := maker.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := maker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := maker.Start(); err != nil {
		t.Fatal(err)
	}
	bound := time.AfterFunc(20*time.Minute, func() { _ = maker.Process.Kill() })
	t.Cleanup(func() {
		defer bound.Stop()
		_ = in.Close() // has it take away all
		if err := maker.Wait(); err != nil || told.Len() > 0 {
			t.Errorf("openstacksdk: %v\n%s", err, told.String())
		}
	})
	var made [][2]string
	line, _ := bufio.NewReader(out).ReadBytes('\n')
	if err := json.Unmarshal(line, &made); err != nil {
		t.Fatalf("openstacksdk made nothing: %v, %s", err, line)
	}
	return made
}

// A cloud with objects of all kinds that another client made is exported whole, and a plan of that adopts each of them
// and changes no attribute.
func TestExportOfWhatAnotherClientMade(t *testing.T) {
	t.Parallel()
	made := makesAll(t, unique("sdk"))
	b := newBench(t)
	live, _, err := b.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	var mine []unit.Live
	for _, o := range live {
		if slices.ContainsFunc(made, func(m [2]string) bool {
			return m[0] == o.Kind && (m[1] == o.ID || slices.Contains(strings.Split(o.ID, "/"), m[1]))
		}) {
			mine = append(mine, o)
		}
	}
	result, hcl := adoptsAll(t, b.Driver, mine, export.Selection{})
	secret := 0 // application credentials, whose secrets nobody is told again, so that none can be taken over
	for _, m := range made {
		if m[0] == "application_credential" {
			secret++
		}
	}
	if result.Objects != len(made)-secret || result.Unwritable != secret || secret != alike || len(made) < 200 {
		t.Errorf("%d exported of %d, and %d left out, want %d", result.Objects, len(made), result.Unwritable, secret)
	}
	for _, kind := range export.Kinds(language()) {
		if !slices.ContainsFunc(mine, func(o unit.Live) bool { return o.Kind == kind }) {
			t.Errorf("there is no %s", kind)
		}
	}
	// Projects have quotas of their own, which stay as they are: a block that says nothing of them manages none.
	if strings.Contains(hcl, "quota ") {
		t.Error("quotas are exported, of which it is not known who wrote them")
	}
	t.Logf("%d objects of %d kinds", result.Objects, len(result.Files))
}
