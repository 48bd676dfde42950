package cluster

import (
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// kubeconfig returns the path of a server's own kubeconfig.
func (s *starter) kubeconfig(server string) string {
	return filepath.Join(s.pki.dir, server+".kubeconfig")
}

// writeKubeconfigs writes one kubeconfig for the administrator and one for each server that
// is a client of the API server; each is a user of its own in the audit log.
func (s *starter) writeKubeconfigs() error {
	for _, user := range []struct {
		path, name string
		groups     []string
	}{
		{s.path("kubeconfig"), "admin", []string{"system:masters"}},
		{s.kubeconfig(controllerManager), "system:kube-controller-manager", nil},
		{s.kubeconfig(scheduler), "system:kube-scheduler", nil},
		{s.kubeconfig(kwokServer), "kwok", []string{"system:masters"}},
	} {
		pair, err := s.pki.client(user.name, user.groups...)
		if err != nil {
			return err
		}
		config := clientcmdapi.NewConfig()
		config.Clusters["testbed"] = &clientcmdapi.Cluster{Server: httpsURL(s.ports.api), CertificateAuthorityData: s.pki.caPEM}
		config.AuthInfos[user.name] = &clientcmdapi.AuthInfo{ClientCertificateData: pair.certificate, ClientKeyData: pair.key}
		config.Contexts["testbed"] = &clientcmdapi.Context{Cluster: "testbed", AuthInfo: user.name}
		config.CurrentContext = "testbed"
		if err := clientcmd.WriteToFile(*config, user.path); err != nil {
			return err
		}
	}
	return nil
}
