//go:build beds

package wire

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// In an OpenStack that we deploy we come with a user of our own, to where the chart says that Keystone is, unless
// the openstack block says otherwise. Only what makes that user comes as the administrator.
func TestCredentialsOfOurUser(t *testing.T) {
	bed := testbed.Cluster(t)
	client, err := kubernetes.NewForConfig(bed.RESTConfig())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	namespace := "wire-" + strings.ToLower(rand.Text()[:12])
	_, err = client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	must(err)
	secret := func(name string, data map[string]string) {
		t.Helper()
		_, err := client.CoreV1().Secrets(namespace).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: data}, metav1.CreateOptions{})
		must(err)
	}
	m := &model.Model{}
	m.Cloud.Namespace, m.Cloud.Region = namespace, "North"
	m.Cloud.Services = []model.Service{{Name: "keystone", Enabled: true}}
	s := &System{Flags: &Flags{}, Model: func() *model.Model { return m }}
	s.cluster, err = kube.New(kube.Options{Access: kube.NewAccess(bed.RESTConfig()), SystemNamespace: namespace})
	must(err)
	t.Cleanup(s.cluster.Close)

	if _, err := s.connect(t.Context()); err == nil || !strings.Contains(err.Error(), namespace+"/keystone-keystone-admin") {
		t.Errorf("without the chart's Secret: %v", err)
	}
	secret(compose.AdministratorSecret, map[string]string{
		"OS_AUTH_URL": "http://keystone-api.example/v3", "OS_REGION_NAME": "North", "OS_INTERFACE": "internal", "OS_USERNAME": "admin", "OS_PASSWORD": "of-the-administrator",
		"OS_USER_DOMAIN_NAME": "people", "OS_PROJECT_NAME": "admin", "OS_PROJECT_DOMAIN_NAME": "default",
	})
	if _, err := s.connect(t.Context()); err == nil || unit.IsBlocked(err) || !strings.Contains(err.Error(), compose.AccountPassword) {
		t.Errorf("without a password: %v", err)
	}
	secret(compose.GeneratedSet, map[string]string{compose.AccountPassword: "of-our-user"})
	place := openstack.Place{AuthURL: "http://keystone-api.example/v3", Region: "North", Interface: "internal"}
	for _, block := range []*model.OpenStack{nil, {AuthURL: "https://keystone.example.org", Interface: "public"}} {
		if m.Cloud.OpenStack = block; block != nil {
			place.AuthURL, place.Interface = block.AuthURL, block.Interface
		}
		own, err := s.connect(t.Context())
		must(err)
		if own.Place != place || own.Username != "kupenstack" || own.ProjectName != "kupenstack" || own.UserDomainName != "people" ||
			own.ProjectDomainName != "people" || own.Password.Reveal() != "of-our-user" {
			t.Errorf("our user: %+v", own)
		}
		admin, err := s.administrator(t.Context())
		must(err)
		if admin.Place != place || admin.Username != "admin" || admin.Password.Reveal() != "of-the-administrator" {
			t.Errorf("the administrator: %+v", admin)
		}
	}
	m.Cloud.OpenStack, m.Cloud.TLS = nil, &model.TLS{Issuer: model.Issuer{Name: "authority"}}
	if _, err := s.administrator(t.Context()); !unit.IsBlocked(err) {
		t.Errorf("without the authority that signed for Keystone: %v", err)
	}
	secret(compose.TrustSecret(m), map[string]string{"ca.crt": "the authority"})
	for who, login := range map[string]func(context.Context) (openstack.Credentials, error){"our user": s.connect, "the administrator": s.administrator} {
		if got, err := login(t.Context()); err != nil || got.Also != "the authority" {
			t.Errorf("%s trusts %q, %v", who, got.Also, err)
		}
	}
	m.Cloud.TLS = nil
	m.Cloud.OpenStack = &model.OpenStack{Secret: "mine"}
	if _, err := s.administrator(t.Context()); !unit.IsBlocked(err) {
		t.Errorf("with other credentials: %v", err)
	}
	m.Cloud.OpenStack, m.Cloud.Region = nil, "South"
	if _, err := s.connect(t.Context()); !unit.IsBlocked(err) {
		t.Errorf("in another region: %v", err)
	}
}
