//go:build beds

package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const auditSample = `{"kind":"Event","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/pods?limit=1","verb":"list","user":{"username":"admin"},"userAgent":"x/1","objectRef":{"resource":"pods","apiVersion":"v1"},"responseStatus":{"code":200},"requestReceivedTimestamp":"2026-01-02T03:04:05.000006Z"}
{"kind":"Event","auditID":"2","requestURI":"/readyz","verb":"get","responseStatus":{"code":500}}
`

func TestParseEvents(t *testing.T) {
	const half = `{"kind":"Event","auditID":"3","requ`
	events, used, err := parseEvents([]byte(auditSample + half))
	if err != nil {
		t.Fatal(err)
	}
	if used != len(auditSample) {
		t.Errorf("used %d bytes, want %d: the half line is read later", used, len(auditSample))
	}
	if len(events) != 2 {
		t.Fatalf("got %d events", len(events))
	}
	first := events[0]
	if first.ID != "1" || first.UserAgent != "x/1" || first.Verb != "list" || first.URI != "/api/v1/pods?limit=1" ||
		first.Object.Resource != "pods" || first.Code != 200 || first.Time.Nanosecond() != 6000 {
		t.Errorf("got %+v", first)
	}
	if events[1].Object != (ObjectRef{}) || events[1].Code != 500 {
		t.Errorf("got %+v", events[1])
	}
	for _, bad := range []string{"no JSON\n", "{}\n"} {
		if _, _, err := parseEvents([]byte(auditSample + bad)); err == nil {
			t.Errorf("no error for the line %q", bad)
		}
	}
}

func TestAuditOffsetIsTheEndOfALine(t *testing.T) {
	c := &Cluster{AuditLog: filepath.Join(t.TempDir(), "audit.log")}
	long := `{"kind":"Event","requestURI":"` + strings.Repeat("x", 100_000)
	for _, test := range []struct {
		text string
		want int
	}{
		{"", 0},
		{auditSample, len(auditSample)},
		{auditSample + `{"kind":"Event","aud`, len(auditSample)}, // as it is seen while the server writes
		{auditSample + long, len(auditSample)},
		{long, 0},
	} {
		if err := os.WriteFile(c.AuditLog, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := c.AuditOffset(); err != nil || got != int64(test.want) {
			t.Errorf("of %d bytes: got %d, %v, want %d", len(test.text), got, err, test.want)
		}
	}
}

func TestRenderStages(t *testing.T) {
	for _, player := range []bool{true, false} {
		out, err := renderStages(stageValues{Player: player, KubernetesVersion: "v1.2.3", DefaultLog: "/tmp/a b"})
		if err != nil {
			t.Fatal(err)
		}
		text := string(out)
		if strings.Contains(text, "[[") {
			t.Error("a placeholder is left")
		}
		if got := strings.Contains(text, "def player: true;"); got != player {
			t.Errorf("with Player %t the stages say %t", player, got)
		}
		for _, want := range []string{"kubeletVersion: v1.2.3", `logsFile: "/tmp/a b"`} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q", want)
			}
		}
	}
}

// The stages spell the names out, in languages that cannot import constants.
func TestStagesUseTheAnnotationsOfThePackage(t *testing.T) {
	out, err := renderStages(stageValues{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	for _, name := range []string{AnnotationBehave, AnnotationReadyAfter, AnnotationInit, AnnotationRun, AnnotationRestarts, AnnotationReason} {
		short := strings.TrimPrefix(name, AnnotationPrefix)
		if !strings.Contains(text, `annotation(\"`+short+`\")`) {
			t.Errorf("no stage reads %s", name)
		}
	}
	for _, value := range []string{BehaveNeverReady, BehaveCrashLoop, BehaveImagePull, BehaveFail, RunReady, RunCompleted, RunCrashLoop, RunFailed} {
		if !strings.Contains(text, `desired == \"`+value+`\"`) {
			t.Errorf("no stage leads to %s", value)
		}
	}
	_, known, _ := strings.Cut(text, "def misspelt:")
	known, _, _ = strings.Cut(known, ";\\n")
	for _, value := range []string{BehaveNeverReady, BehaveCrashLoop, BehaveImagePull, BehaveFail} {
		if !strings.Contains(known, `\"`+value+`\"`) {
			t.Errorf("%s is taken for misspelt: %s", value, known)
		}
	}
	for _, want := range []string{AnnotationPrefix, ".metadata.labels." + LabelApplication, "values: [" + StorageClass + "]", `annotation(\"init\") == \"` + InitDone + `\"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the stages", want)
		}
	}
}
