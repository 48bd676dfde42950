package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestProxiesThatCannotBeRead(t *testing.T) {
	for _, test := range []struct {
		name, value string
		wrong       bool
	}{
		{"HTTPS_PROXY", "http://robot:pa%zzcanary@127.0.0.1:3128", true},
		{"https_proxy", "http://robot:pa%zzcanary@127.0.0.1:3128", true},
		{"HTTP_PROXY", "http://robot:canary/@proxy.example.org:3128", true},
		{"http_proxy", "http://proxy.example.org:canary", true},
		{"HTTP_PROXY", "robot:canary%@proxy.example.org:3128", true},
		{"HTTPS_PROXY", "[canary", true},
		{"HTTPS_PROXY", "http://robot:pa%25canary@proxy.example.org:3128", false},
		{"HTTPS_PROXY", "robot:canary@proxy.example.org:3128", false},
		{"HTTPS_PROXY", "proxy.example.org:3128", false},
		{"HTTP_PROXY", "proxy.example.org", false},
		{"http_proxy", "10.0.0.1:3128", false},
		{"HTTPS_PROXY", "socks5://[fd00::1]:1080", false},
		{"HTTPS_PROXY", "", false},
	} {
		t.Run(test.name+"="+test.value, func(t *testing.T) {
			for _, name := range []string{"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"} {
				t.Setenv(name, "")
			}
			t.Setenv(test.name, test.value)
			err := FromEnvironment(pflag.NewFlagSet("test", pflag.ContinueOnError))
			if errors.Is(err, ErrUsage) != test.wrong || err != nil && (!strings.Contains(err.Error(), test.name) || strings.Contains(err.Error(), "canary")) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Setenv("HTTPS_PROXY", "proxy.example.org")
	t.Setenv("https_proxy", "%") // is not looked at
	if err := FromEnvironment(pflag.NewFlagSet("test", pflag.ContinueOnError)); err != nil {
		t.Error(err)
	}
	t.Setenv("HTTPS_PROXY", "%") // is what net/http looks at first
	t.Setenv("https_proxy", "proxy.example.org")
	if err := FromEnvironment(pflag.NewFlagSet("test", pflag.ContinueOnError)); !errors.Is(err, ErrUsage) {
		t.Error("one that is not read is not told")
	}
}
