package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// check returns nil once what it looks for is there, and otherwise what is missing.
type check func(ctx context.Context) error

const (
	checkInterval = 25 * time.Millisecond
	checkLimit    = 2 * time.Second // of one call
)

// waitFor repeats a check until it succeeds. It fails when ctx ends or a server has died.
func (s *starter) waitFor(ctx context.Context, what string, check check) error {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for {
		err := func() error {
			ctx, cancel := context.WithTimeout(ctx, checkLimit)
			defer cancel()
			return check(ctx)
		}()
		if err == nil {
			return nil
		}
		if dead := checkAlive(s.path(processDir), s.started); dead != nil {
			return dead
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w: %w", what, ctx.Err(), err)
		case <-tick.C:
		}
	}
}

// prober asks servers for their health with the cluster's certificates.
type prober struct {
	client *http.Client
}

func newProber(caPEM []byte) (*prober, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(caPEM) {
		return nil, errors.New("the certificate authority cannot be read")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}, DisableKeepAlives: true}
	return &prober{client: &http.Client{Transport: transport}}, nil
}

// get succeeds when the URL answers 200.
func (p *prober) get(url string) check {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := p.client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			body, _ := io.ReadAll(io.LimitReader(response.Body, 500))
			return fmt.Errorf("%s answers %s: %s", url, response.Status, body)
		}
		return nil
	}
}

func apiReady(client kubernetes.Interface) check {
	return func(ctx context.Context) error {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}
}

func defaultServiceAccount(client kubernetes.Interface) check {
	return func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	}
}

// nodesReady waits for the taint too, which the controller-manager takes away after a node
// is Ready: no pod is scheduled before.
func nodesReady(client kubernetes.Interface, want int) check {
	return func(ctx context.Context) error {
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		ready := 0
		for _, node := range nodes.Items {
			if nodeReady(node) && len(node.Spec.Taints) == 0 {
				ready++
			}
		}
		if ready < want {
			return fmt.Errorf("%d of %d nodes are ready and without taints", ready, want)
		}
		return nil
	}
}

func nodeReady(node corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
