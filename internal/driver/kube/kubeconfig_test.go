package kube

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	const text = `apiVersion: v1
kind: Config
current-context: lab
clusters: [{name: lab, cluster: {server: https://lab.test}}, {name: live, cluster: {server: https://live.test}}]
users: [{name: ops, user: {token: t}}]
contexts: [{name: lab, context: {cluster: lab, user: ops}}, {name: live, context: {cluster: live, user: ops}}]
`
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, context, host, fails string }{
		{file, "", "https://lab.test", ""},
		{file, "live", "https://live.test", ""},
		{file, "other", "", "find the Kubernetes cluster: "},
		{file + ".none", "", "", "find the Kubernetes cluster: "},
	} {
		access, err := Load(test.file, test.context)
		switch {
		case test.fails != "" && (err == nil || !strings.HasPrefix(err.Error(), test.fails)):
			t.Errorf("%s %q: error %v", test.file, test.context, err)
		case test.fails == "" && (err != nil || access.config.Host != test.host):
			t.Errorf("%s %q: %v, error %v", test.file, test.context, access, err)
		}
	}
}
