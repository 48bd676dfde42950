package wire

import (
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// EnvPrefix begins the variables that stand for flags: --status-branch is KUPENSTACK_STATUS_BRANCH.
const EnvPrefix = "KUPENSTACK_"

// Typed annotates flags that no variable stands for: what they allow is meant for one command, and a variable that was
// left behind would allow it for all that follow.
const Typed = "kupenstack-typed"

// Flags are what both commands can be told.
type Flags struct {
	// Language is what configurations are written in; it is no flag, and is made once for the whole program.
	Language *schema.Definition
	// Masker learns what the cluster has of secrets. It is no flag either; nil for one that nobody else knows.
	Masker *redact.Masker

	Repo         string
	Ref          string
	Path         string
	variables    variables
	StatusBranch string
	ReportDir    string
	Kubeconfig   string
	Context      string
	Namespace    string
	// LeaseDuration is how long others leave the lease to this process after a renewal.
	LeaseDuration time.Duration
	OSCloud       string
	CacheDir      string
	// AcceptOpenStack is the id of the project to go on with, though what there is lies in another one.
	AcceptOpenStack string
	// MaxDeletes are how many objects may be deleted at once, as [plan.ParseLimits] reads them.
	MaxDeletes []string
	// APIBudget is how many requests an hour an API may have, by its name; none for no bound.
	APIBudget map[string]int
	// ImageSources are how addresses begin that bytes of images may be fetched from; none for nowhere.
	ImageSources []string
	Resync       time.Duration
	// OpenStackInterval is the shortest time between two looks at OpenStack, 0 for none but each Resync.
	OpenStackInterval time.Duration
	LogLevel          string
	// APIChecks says which services have to answer before they are ready: all, none, or names of some.
	APIChecks string
	// LogLines is how many lines of the logs of containers that are not ready a report has.
	LogLines int
	// Concurrency is how many calls of all drivers may run at once, APIConcurrency how many of one API.
	Concurrency, APIConcurrency int

	GitUsername   string
	GitPassword   string // a file
	SSHKey        string // a file
	SSHPassphrase string // a file
	KnownHosts    string // a file
	GitCA         string // a file

	// Verify are files, and directories of files, that list whose signatures of commits are trusted; none for
	// everybody's commits.
	Verify        []string
	VerifyHistory bool
	SigningKey    string // a file

	AgeKeys string // a file

	ChartCredentials string // a file
	ChartCA          string // a file
	ChartAccount     string

	collector revision.Collector
}

// maxAPIConcurrency is how many calls of one API may be under way at once: more would be as many answers in memory, and
// requests that the API has wait for each other.
const maxAPIConcurrency = 64

// Register adds the flags to a set.
func (f *Flags) Register(set *pflag.FlagSet) {
	set.StringVar(&f.Repo, "repo", "", "the configuration: an https, ssh or file URL of a Git repository, or a local directory")
	set.StringVar(&f.Ref, "ref", "", "the branch or tag to follow (default: the repository's default branch)")
	f.Path = "."
	set.Var(directory{&f.Path}, "path", "the directory of the configuration within the repository")
	set.Var(variableFlag{&f.variables, false}, "var", "the value of a variable, as name=value; may be repeated")
	set.Var(variableFlag{&f.variables, true}, "var-file", "a file in the repository with values of variables, by its path from --path; may be repeated")
	set.StringVar(&f.StatusBranch, "status-branch", "kupenstack-status", "the branch that reports are committed to; empty for none")
	set.StringVar(&f.ReportDir, "report-dir", "", "where reports go when --repo is a local directory (default: nowhere)")
	set.StringVar(&f.Kubeconfig, "kubeconfig", "", "the kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or the pod's service account)")
	set.StringVar(&f.Context, "context", "", "the context of the kubeconfig")
	set.StringVar(&f.Namespace, "namespace", "kupenstack-system", "the Kubernetes namespace for the inventory and the lease")
	f.LeaseDuration = kube.DefaultLeaseDuration
	set.Var(leaseFlag{&f.LeaseDuration}, "lease-duration", "how long a process that is gone keeps the lease after its last renewal: whole seconds, from 3s to 2m; it renews that seven times as often, and stops by itself when two thirds have passed")
	set.StringVar(&f.OSCloud, "os-cloud", "", "the entry of clouds.yaml for OpenStack; it replaces what the configuration says")
	set.StringVar(&f.AcceptOpenStack, "accept-openstack", "", "the id of the project in OpenStack to go on with, though what there is lies in another one")
	set.StringVar(&f.CacheDir, "cache-dir", "", "where fetched commits and charts are kept (default: a directory of the user's cache)")
	set.StringSliceVar(&f.MaxDeletes, "max-deletes", nil, "how many objects of a class may be deleted at once: a number or a share as 20%, and others for single classes as resource=5; may be repeated (default: 10, or a quarter of them)")
	set.StringToIntVar(&f.APIBudget, "api-budget", nil, "how many requests an hour kubernetes and openstack may have, as kubernetes=N,openstack=N; may be repeated (default: any number)")
	set.StringSliceVar(&f.ImageSources, "image-sources", nil, "how the URLs begin that images may be fetched from: scheme, host and path, with commas between them; may be repeated (default: none is fetched)")
	set.StringVar(&f.LogLevel, "log-level", "info", "debug, info, warn or error")
	set.IntVar(&f.LogLines, "logs-in-report", 0, fmt.Sprintf("how many of its last lines the report has of the log of a container that keeps a unit from being ready, at most %d; 0 for none", kube.MaxLogLines))
	set.IntVar(&f.Concurrency, "concurrency", 24, "how many calls of Kubernetes, Helm and OpenStack are under way at once; 0 for no other bound than --api-concurrency")
	set.IntVar(&f.APIConcurrency, "api-concurrency", 8, fmt.Sprintf("how many calls of one API are under way at once, from 1 to %d: of Kubernetes, of Helm, and of each service of OpenStack", maxAPIConcurrency))
	set.StringVar(&f.APIChecks, "api-checks", "all", "which services are ready only once their APIs answer: all, none, or names of services with commas between them")
	set.StringVar(&f.GitUsername, "git-username", "", "the user for https repositories")
	set.StringVar(&f.GitPassword, "git-password-file", "", "a file with the password or token for https repositories")
	set.StringVar(&f.SSHKey, "ssh-key-file", "", "a file with the private key for ssh repositories")
	set.StringVar(&f.SSHPassphrase, "ssh-passphrase-file", "", "a file with the passphrase of the private key")
	set.StringVar(&f.KnownHosts, "known-hosts-file", "", "a file with the host keys of ssh servers")
	set.StringArrayVar(&f.Verify, "verify", nil, "a file, or a directory of files, with those whose commits are applied: OpenPGP public keys, or allowed signers of SSH; may be repeated (default: everybody's are)")
	set.BoolVar(&f.VerifyHistory, "verify-history", false, "have all commits since the one in force signed, and not the newest alone, and none applied that does not come after that one; without it who may push can go back to any commit that was ever signed")
	set.StringVar(&f.SigningKey, "signing-key-file", "", "a file with the private SSH key that the commits of reports are signed with")
	set.StringVar(&f.AgeKeys, "sops-age-key-file", "", "a file with the age identities that files encrypted with SOPS are opened with")
	set.StringVar(&f.ChartCredentials, "chart-credentials-file", "", "a file with credentials for repositories of charts and registries of images, in Docker's format")
	set.StringVar(&f.ChartCA, "chart-ca-file", "", "a file with further certificate authorities for repositories of charts and registries of images, in PEM; read again for each request")
	set.StringVar(&f.ChartAccount, "chart-account", "", "the service account that objects of charts are written as, as namespace/name, which this one has to be allowed to impersonate (default: this one)")
	set.StringVar(&f.GitCA, "git-ca-file", "", "a file with further certificate authorities for https repositories, in PEM")
}

// directory is the flag of a directory in the repository. Shells complete one with a slash behind it.
type directory struct{ name *string }

func (d directory) String() string {
	if d.name == nil { // pflag asks a zero value what no default looks like
		return ""
	}
	return *d.name
}

func (d directory) Set(name string) error {
	*d.name = path.Clean(name)
	return nil
}

func (directory) Type() string { return "string" }

// FromEnvironment sets every flag that was not given from its variable, if there is one, but those that are [Typed]. That holds for
// what a command can be told, not for cobra's own flags: those ask it to do something else. It fails as well for
// the environment's proxies when they cannot be read.
func FromEnvironment(set *pflag.FlagSet) error {
	var failure error
	set.VisitAll(func(flag *pflag.Flag) {
		name := EnvPrefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || flag.Changed || failure != nil || flag.Name == "help" || flag.Name == "version" || flag.Annotations[Typed] != nil {
			return
		}
		if err := set.Set(flag.Name, value); err != nil {
			failure = fmt.Errorf("%w: the variable %s: %w", ErrUsage, name, err)
		}
	})
	if failure != nil {
		return failure
	}
	if err := checkVariables(set); err != nil {
		return err
	}
	return checkProxies()
}

// Grace is how long running calls may take to end when a command is told to stop.
const Grace = 25 * time.Second
