package wire

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// EnvVariable begins the names of environment variables that hold values of the configuration's
// variables: KUPENSTACK_VAR_site. KUPENSTACK_VAR_FILE stands for --var-file.
const EnvVariable = EnvPrefix + "VAR_"

// variables are the values that --var and --var-file give, in the order in which they are written.
type variables []config.Given

// variableFlag is one of the two flags; both fill the same list.
type variableFlag struct {
	list *variables
	file bool
}

// Set implements pflag.Value. It takes everything, as the error of a flag would quote a value that
// may be a secret; see [checkVariables].
func (f variableFlag) Set(text string) error {
	if f.file {
		*f.list = append(*f.list, config.Given{File: text, Origin: "--var-file " + text})
		return nil
	}
	name, value, ok := strings.Cut(text, "=")
	if name = strings.TrimSpace(name); !ok {
		name = ""
	}
	*f.list = append(*f.list, config.Given{Name: name, Text: value, Origin: "--var " + name})
	return nil
}

// checkVariables tells whether the flags make sense.
func checkVariables(set *pflag.FlagSet) error {
	flag := set.Lookup("var")
	if flag == nil {
		return nil
	}
	f, ok := flag.Value.(variableFlag)
	if ok && slices.ContainsFunc(*f.list, func(g config.Given) bool { return g.File == "" && g.Name == "" }) {
		return fmt.Errorf("%w: --var takes name=value, and --var-file a path", ErrUsage)
	}
	return nil
}

// String implements pflag.Value. It shows no values.
func (f variableFlag) String() string {
	if f.list == nil {
		return ""
	}
	var names []string
	for _, g := range *f.list {
		if f.file == (g.File != "") {
			names = append(names, g.File+g.Name)
		}
	}
	return strings.Join(names, ",")
}

// Type implements pflag.Value.
func (f variableFlag) Type() string {
	if f.file {
		return "path"
	}
	return "name=value"
}

// Variables returns what the configuration's variables are given by the environment and the flags.
func (f *Flags) Variables() []config.Given {
	given := fromEnvironment(os.Environ())
	return append(given, f.variables...)
}

// fromEnvironment finds values among the variables of the process.
func fromEnvironment(environment []string) []config.Given {
	var given []config.Given
	for _, entry := range slices.Sorted(slices.Values(environment)) {
		key, value, _ := strings.Cut(entry, "=")
		name, ok := strings.CutPrefix(key, EnvVariable)
		if !ok || name == "" || name == "FILE" {
			continue
		}
		given = append(given, config.Given{Name: name, Text: value, Origin: key, Environment: true})
	}
	return given
}
