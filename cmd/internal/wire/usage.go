package wire

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// ErrUsage says that the flags or arguments make no sense.
var ErrUsage = errors.New("wrong usage")

// Usage marks what a command finds wrong with its flags as wrong usage.
func Usage(command *cobra.Command) {
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w: %w", ErrUsage, err) })
}

// Args marks what a check finds wrong with the arguments as wrong usage, and says what the command takes.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if err := check(command, args); err != nil {
			return fmt.Errorf("%w: %w; the command is: %s", ErrUsage, err, command.UseLine())
		}
		return nil
	}
}
