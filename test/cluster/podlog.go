package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// logsResource is where kwok looks for what pods say.
func logsResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "kwok.x-k8s.io", Version: "v1alpha1", Resource: "logs"}
}

// PodLogDir returns the directory for the files that Logs objects name. It goes with the
// cluster's directory; file names should have the namespace in them.
func (c *Cluster) PodLogDir() string { return filepath.Join(c.Dir, podLogDir) }

// SetPodLog makes all containers of a pod say the lines, from the first request for its log
// after it returns. The pod need not exist yet. What was said before is replaced.
func (c *Cluster) SetPodLog(ctx context.Context, namespace, pod string, lines ...string) error {
	if err := c.setPodLog(ctx, namespace, pod, lines); err != nil {
		return fmt.Errorf("log of pod %s/%s: %w", namespace, pod, err)
	}
	return nil
}

func (c *Cluster) setPodLog(ctx context.Context, namespace, pod string, lines []string) error {
	// A new file each time, and a rename, so that no reader sees half of it.
	path := filepath.Join(c.PodLogDir(), namespace+"."+pod+".log")
	if err := os.WriteFile(path+".new", logLines(lines), 0o600); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": logsResource().GroupVersion().String(),
		"kind":       "Logs",
		"metadata":   map[string]any{"namespace": namespace, "name": pod},
		"spec":       map[string]any{"logs": []any{map[string]any{"logsFile": path}}},
	}}
	_, err = client.Resource(logsResource()).Namespace(namespace).Create(ctx, object, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return c.waitPodLog(ctx, namespace, pod, strings.Join(append(lines, ""), "\n"))
}

// waitPodLog waits until the kubelet has seen the Logs object: nothing else tells.
func (c *Cluster) waitPodLog(ctx context.Context, namespace, pod, want string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	// The kubelet's certificate is not checked here, as the API server does not check it.
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true,
	}}
	address := "https://" + c.kubelet + "/containerLogs/" + url.PathEscape(namespace) + "/" + url.PathEscape(pod) + "/any"
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for {
		got, err := fetch(ctx, client, address)
		if err == nil && got == want {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the kubelet still serves %q (%w)", got, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

func fetch(ctx context.Context, client *http.Client, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

// logLines returns a log in the format of container runtimes, which the kubelet reads.
func logLines(lines []string) []byte {
	var out strings.Builder
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for _, line := range lines {
		fmt.Fprintf(&out, "%s stdout F %s\n", now, line)
	}
	return []byte(out.String())
}
