package schema

import "github.com/zclconf/go-cty/cty"

// DefaultTLSImage is what ends TLS in the pods of an API. It is written in full, so that another registry can stand in
// for its own.
const DefaultTLSImage = "docker.io/library/nginx:1.28-alpine"

// tlsBlock is a file of its own, as that of the cloud is long.
func tlsBlock() Nested {
	return Nested{Max: 1, Block: Block{
		Kind: "tls", Class: ClassPart,
		Doc: "Has the APIs speak TLS inside of the cluster: in each of their pods an nginx has a certificate of cert-manager and hands on to the program beside it, the catalogue has https addresses, and what talks to them trusts the authority, KupenStack included. It needs cert-manager, and OpenStack-Helm's charts of August 2026 or later. Whether a service speaks TLS, and with whose certificates, is fixed once it is deployed: clients keep their configuration until their pods are replaced, those of compute nodes node by node, and could talk to nobody until then. So a cloud begins with this block or goes without. What is written in values counts over what tls sets in charts, with a warning; refused are other schemes than https and insecure beside an authority, which would send passwords in the clear or to whoever stands between. Containers and volumes are put beside its own with append. How much of a node each nginx gets is resources of the service, as its piece tls. Certificates that cert-manager renews are taken up at once; but the authority itself must stay the same as long as pods are not replaced. MariaDB and RabbitMQ speak TLS where backends names them, memcached does not, nor do the consoles of instances and the services that are not in the list below. The APIs of Barbican, Designate, Ironic and Manila stay plain, and trust the rest: their charts have no place for the nginx in the pods of an API, and their Services lead to no other port. What makes the user and the catalogue's entries of Designate and Ironic are jobs in the place of their charts', which are told no authority; they are among extraObjects. Magnum, Octavia and Skyline cannot be deployed beside APIs with TLS: the job that makes the domain of Magnum, and what has Octavia find its ports, can be given no certificate of the authority, and nor can the nginx of Skyline. Instances that reach Heat by its name inside have to know the authority. With exposure, the Ingresses have the annotations by which ingress-nginx speaks TLS to APIs and checks their certificates; another controller needs its own in annotations, and one that wants them on Services cannot be used. To a Gateway a BackendTLSPolicy says it, with a Secret that has the authority's certificate, which Gateways need not support.",
		Attributes: []Attribute{
			{
				Name: "issuer", Type: issuerType(), Presence: Required, AtLoad: true, Change: Refused,
				Fields:  map[string]Format{"name": FormatDNSName},
				Example: cty.ObjectVal(map[string]cty.Value{"kind": cty.StringVal("ClusterIssuer"), "name": cty.StringVal("openstack-ca")}),
				Doc:     "The issuer of cert-manager that signs the certificates: a ClusterIssuer, or an Issuer in the namespace of the cloud. It has to sign names inside of the cluster, and to tell its authority (ca.crt), as those of the types ca and vault do; public authorities do neither.",
			},
			{
				Name: "services", Type: cty.Set(cty.String), AtLoad: true, Change: Refused, Allowed: tlsServiceNames(),
				Example: cty.SetVal([]cty.Value{cty.StringVal("keystone"), cty.StringVal("glance")}),
				Doc:     "The services whose APIs speak TLS: all that can, unless written.",
			},
			{
				Name: "backends", Type: cty.Set(cty.String), AtLoad: true, Change: Refused, Allowed: []string{"mariadb", "rabbitmq"},
				Example: cty.SetVal([]cty.Value{cty.StringVal("mariadb"), cty.StringVal("rabbitmq")}),
				Doc:     "Which servers behind the APIs speak TLS as well: none, unless written. Both ask whoever comes for a certificate of the issuer, and each service has one of its own, by its chart: <service>-client. RabbitMQ speaks nothing else then, and MariaDB makes users that need it. Designate, Ironic, Magnum and Octavia cannot be deployed beside either, nor Manila and Skyline beside MariaDB with TLS, as their charts have no place for the certificate; nor is there TLS of memcached, whose chart has none: what services keep there of tokens they encrypt in any case, but sessions of Horizon, with the tokens of who is logged in, are there in the clear. Pods read these certificates when they start, so they are signed for ten years; where the issuer signs for less, replace the pods of the servers and of all services before that is over. MariaDB runs as root in its container with it, as OpenStack-Helm has it. To have no API speak TLS beside them, write services = [].",
			},
			{
				Name: "image", Type: cty.String, AtLoad: true, Format: FormatImage, Default: cty.StringVal(DefaultTLSImage), Example: cty.StringVal("registry.example.org/nginx:1.28"),
				Doc: "The image of nginx, of 1.19.5 or later. It runs as the user 101, with a root file system that it cannot write.",
			},
		},
	}}
}

func tlsServiceNames() []string {
	var names []string
	for _, s := range serviceList() {
		if s.TLS {
			names = append(names, s.Name)
		}
	}
	return names
}
