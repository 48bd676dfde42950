package faultproxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

func TestSkew(t *testing.T) {
	var got string
	lines := make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); len(body) > 0 {
			got = string(body)
			_, _ = io.WriteString(w, `{"expires_at":"2026-01-02T23:30:00.000000Z","none":"0001-01-01T00:00:00Z","port":"2026-01-02T"}`)
			return
		}
		_ = http.NewResponseController(w).Flush() // the header
		for line := range lines {
			_, _ = io.WriteString(w, line)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	defer server.Close()
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	proxy.Add(faultproxy.Rule{Action: faultproxy.Skew(time.Hour)})
	response, err := http.Post(proxy.URL(), "application/json", strings.NewReader(`{"renewTime":"2026-01-01T00:10:00.123456Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if date, err := http.ParseTime(response.Header.Get("Date")); err != nil || time.Until(date) < 50*time.Minute {
		t.Errorf("the answer is of %v, %v", date, err)
	}
	if want := `{"renewTime":"2025-12-31T23:10:00.123456Z"}`; got != want {
		t.Errorf("the target got %s, want %s", got, want)
	}
	if want := `{"expires_at":"2026-01-03T00:30:00.000000Z","none":"0001-01-01T00:00:00Z","port":"2026-01-02T"}`; string(answer) != want {
		t.Errorf("the client got %s, want %s", answer, want)
	}

	// Of an answer that goes on, each line passes as soon as it is whole.
	if response, err = http.Get(proxy.URL()); err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	whole := bufio.NewScanner(response.Body)
	for i := range 3 {
		lines <- `{"at":"2026-01-02T03:`
		lines <- fmt.Sprintf("0%d:00Z\"}\n", i)
		if want := fmt.Sprintf(`{"at":"2026-01-02T04:0%d:00Z"}`, i); !whole.Scan() || whole.Text() != want {
			t.Fatalf("got %q, %v, want %q", whole.Text(), whole.Err(), want)
		}
	}
	close(lines)
}

// TestSkewOfLeases: clients of Kubernetes write leases in protobuf and ask for it, where times are no text. They are
// shifted all the same, and what cannot be shifted does not pass.
func TestSkewOfLeases(t *testing.T) {
	renewed := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	var stored, accepted string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		stored, accepted = string(body), r.Header.Get("Accept")
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		_, _ = w.Write(body)
	}))
	defer server.Close()
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	proxy.Add(faultproxy.Rule{Action: faultproxy.Skew(time.Hour)})
	client, err := kubernetes.NewForConfig(&rest.Config{Host: proxy.URL()})
	if err != nil {
		t.Fatal(err)
	}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: renewed}}}
	got, err := client.CoordinationV1().Leases("n").Create(t.Context(), lease, metav1.CreateOptions{})
	if err != nil || got.Spec.RenewTime == nil || !got.Spec.RenewTime.Equal(&metav1.MicroTime{Time: renewed}) {
		t.Errorf("the client got %+v, %v", got, err)
	}
	if !strings.Contains(stored, `"renewTime":"2026-01-02T02:04:05.000006Z"`) || strings.Contains(accepted, "protobuf") {
		t.Errorf("the target got %s, and is asked for %s", stored, accepted)
	}
	stored = ""
	response, err := http.Post(proxy.URL(), "application/vnd.kubernetes.protobuf", strings.NewReader("no object"))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNotImplemented || stored != "" {
		t.Errorf("what cannot be shifted is answered with %s, and the target got %q", response.Status, stored)
	}
}
