//go:build beds

package deploy_test

import (
	"context"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Where charts have an account of their own it may write what they bring in the namespaces that are named, and nothing
// elsewhere; the daemon's may impersonate it and nobody else, and hand out no rights.
func TestChartsHaveAnAccount(t *testing.T) {
	p := newPlace(t)
	cloud := newPlace(t).name
	daemon := p.login(values{"deployer": values{"namespaces": []any{cloud}}})
	as := rest.CopyConfig(daemon)
	as.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + p.name + ":" + p.name + "-deployer"}
	own, charts := kubernetes.NewForConfigOrDie(daemon), kubernetes.NewForConfigOrDie(as)
	p.awaitRights(own)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := charts.CoreV1().Secrets(cloud).List(p.ctx, metav1.ListOptions{})
		if err == nil {
			break
		}
		select {
		case <-tick.C: // the authorizer sees each binding by itself
		case <-p.ctx.Done():
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		client                           kubernetes.Interface
		namespace, group, resource, verb string
		want                             bool
	}{
		{charts, cloud, "apps", "deployments", "create", true},
		{charts, cloud, "batch", "jobs", "delete", true},
		{charts, cloud, "", "secrets", "update", true},
		{charts, cloud, "cert-manager.io", "certificates", "create", true},
		{charts, cloud, "rbac.authorization.k8s.io", "roles", "escalate", true},
		{charts, cloud, "rbac.authorization.k8s.io", "clusterroles", "bind", true},
		{charts, cloud, "", "persistentvolumeclaims", "delete", false},
		{charts, p.name, "", "secrets", "get", false},
		{charts, "default", "apps", "deployments", "create", false},
		{charts, "default", "", "secrets", "list", false},
		{charts, "", "", "namespaces", "create", false},
		// Beside namespaces no more than OpenStack's charts need.
		{charts, "", "rbac.authorization.k8s.io", "clusterroles", "create", true},
		{charts, "", "rbac.authorization.k8s.io", "clusterroles", "patch", false}, // but for those
		{charts, "", "rbac.authorization.k8s.io", "clusterroles", "escalate", false},
		{charts, "", "rbac.authorization.k8s.io", "clusterroles", "bind", false},
		{charts, "", "rbac.authorization.k8s.io", "clusterrolebindings", "delete", false},
		{charts, "", "", "nodes", "patch", true},
		{charts, "", "", "nodes", "delete", false},
		{own, cloud, "apps", "deployments", "list", true},
		{own, cloud, "apps", "deployments", "create", false},
		{own, cloud, "apps", "daemonsets", "create", true}, // that connect devices
		{own, "default", "apps", "daemonsets", "create", false},
		{own, cloud, "", "pods", "create", false},
		{own, "", "rbac.authorization.k8s.io", "clusterroles", "escalate", false},
		{own, "", "rbac.authorization.k8s.io", "clusterrolebindings", "create", false},
		{own, cloud, "rbac.authorization.k8s.io", "roles", "bind", false},
		{own, p.name, "", "serviceaccounts", "impersonate", false}, // but for that one
		{own, "", "", "users", "impersonate", false},
		{own, "", "", "groups", "impersonate", false},
	} {
		got := p.may(c.client, c.namespace, c.group, c.resource, c.verb)
		for c.want && !got && p.ctx.Err() == nil {
			<-tick.C
			got = p.may(c.client, c.namespace, c.group, c.resource, c.verb)
		}
		if got != c.want {
			t.Errorf("in %q: %s %s of the group %q: allowed is %v, want %v", c.namespace, c.verb, c.resource, c.group, got, c.want)
		}
	}
	p.handOut(charts)
}

// Of rights in the whole cluster charts hand out those that they have themselves, which are about nodes, and no others.
func (p *place) handOut(charts kubernetes.Interface) {
	p.t.Helper()
	role := func(name, resource string) *rbacv1.ClusterRole {
		return &rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: p.name + "-" + name},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{"get", "list", "patch"}}},
		}
	}
	binding := func(name, role string) *rbacv1.ClusterRoleBinding {
		return &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: p.name + "-" + name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: p.name, Name: "default"}},
		}
	}
	p.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := p.client.RbacV1().ClusterRoles().Delete(ctx, p.name+"-nodes", metav1.DeleteOptions{}); err != nil {
			p.t.Error(err)
		}
		if err := p.client.RbacV1().ClusterRoleBindings().Delete(ctx, p.name+"-nodes", metav1.DeleteOptions{}); err != nil {
			p.t.Error(err)
		}
	})
	roles, bindings := charts.RbacV1().ClusterRoles(), charts.RbacV1().ClusterRoleBindings()
	if _, err := roles.Create(p.ctx, role("nodes", "nodes"), metav1.CreateOptions{}); err != nil {
		p.t.Error(err)
	}
	if _, err := bindings.Create(p.ctx, binding("nodes", p.name+"-nodes"), metav1.CreateOptions{}); err != nil {
		p.t.Error(err)
	}
	if _, err := roles.Create(p.ctx, role("secrets", "secrets"), metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		p.t.Errorf("a role that sees all Secrets: %v", err)
	}
	if _, err := bindings.Create(p.ctx, binding("admin", "cluster-admin"), metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		p.t.Errorf("a binding to cluster-admin: %v", err)
	}
}

// login makes what the chart has of accounts and rights, and returns access with a token of the daemon's account.
func (p *place) login(given values) *rest.Config {
	p.t.Helper()
	p.grant(given)
	token, err := p.client.CoreV1().ServiceAccounts(p.name).CreateToken(p.ctx, p.name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(p.config)
	config.BearerToken = token.Status.Token
	return config
}
