package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instructions returns the instructions of the Dockerfile, by stage; comments are left out.
func instructions(t *testing.T) [][]string {
	t.Helper()
	var stages [][]string
	for line := range strings.Lines(strings.ReplaceAll(read(t, "Dockerfile"), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "FROM ") {
			stages = append(stages, nil)
		}
		if len(stages) > 0 {
			stages[len(stages)-1] = append(stages[len(stages)-1], line)
		}
	}
	return stages
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestDockerfile(t *testing.T) {
	stages := instructions(t)
	if len(stages) != 2 {
		t.Fatalf("%d stages, want one that builds and one that runs", len(stages))
	}
	build, run := stages[0], stages[1]
	if !slices.ContainsFunc(build, func(line string) bool { return strings.HasPrefix(line, "RUN make build ") }) {
		t.Errorf("the image is not built by `make build`: %q", build)
	}
	if !regexp.MustCompile(`^FROM \S*/distroless/static\S*:nonroot$`).MatchString(run[0]) {
		t.Errorf("%q: want an image without a shell", run[0])
	}
	toolchain := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))
	if !strings.Contains(build[0], "golang:"+toolchain[1]+"-") {
		t.Errorf("%q: go.mod wants Go %s", build[0], toolchain[1])
	}
	all := strings.Join(run, "\n")
	for _, want := range []string{
		`(?m)^COPY --from=build /src/bin/kupenstackd /src/bin/kupenstack-sync /usr/local/bin/$`,
		`(?m)^USER [1-9]\d*:[1-9]\d*$`,
		`(?m)^ENTRYPOINT \["/usr/local/bin/kupenstackd"\]$`,
		`(?m)^COPY .*--chown=65532:65532 \S+ /var/cache/kupenstack$`,
	} {
		if !regexp.MustCompile(want).MatchString(all) {
			t.Errorf("nothing in the image matches %s:\n%s", want, all)
		}
	}
	if regexp.MustCompile(`(?m)^(RUN|SHELL|ADD|CMD) `).MatchString(all) {
		t.Errorf("the image has no shell, and takes nothing from the network:\n%s", all)
	}
}

// The image and everybody else build with the same target: static binaries with a version, without
// paths of the machine that they were built on.
func TestMakeBuild(t *testing.T) {
	recipe := regexp.MustCompile(`(?m)^build:.*\n((?:\t.*\n)+)`).FindStringSubmatch(read(t, "Makefile"))
	if recipe == nil {
		t.Fatal("the Makefile has no target build")
	}
	for _, want := range []string{"CGO_ENABLED=0", "-trimpath", "-X main.version=$(VERSION)", "bin/", "./cmd/"} {
		if !strings.Contains(recipe[1], want) {
			t.Errorf("no %s in\n%s", want, recipe[1])
		}
	}
}
