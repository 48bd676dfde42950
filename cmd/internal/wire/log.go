package wire

import (
	"fmt"
	"io"

	"github.com/go-logr/zerologr"
	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Logger returns a logger that writes JSON lines.
func Logger(w io.Writer, level string) (zerolog.Logger, error) {
	parsed, err := zerolog.ParseLevel(level)
	if err != nil {
		return zerolog.Nop(), fmt.Errorf("%w: --log-level %s: use debug, info, warn or error", ErrUsage, level)
	}
	return zerolog.New(w).Level(parsed).With().Timestamp().Logger(), nil
}

// LogLibraries makes our libraries use a logger. Their own levels begin at what is worth a warning to an
// operator. They hold it for the whole process, and read it without a lock: so a process calls this once,
// before it makes a client of any of them.
func LogLibraries(log zerolog.Logger) {
	library := log.Level(max(log.GetLevel(), zerolog.WarnLevel))
	kube.LogLibraries(zerologr.New(&library))
}

// LogErrors has the errors that are logged lose what a masker knows. A driver takes out what is secret to what it looks at, and
// may hear of what another one has: an API says why it cannot reach its database. As with [LogLibraries] a process calls
// this once, before anything else is at work.
func LogErrors(masker *redact.Masker) { zerolog.ErrorMarshalFunc = loggedBy(masker) }

// loggedBy is what is logged of an error, nil for nothing.
func loggedBy(masker *redact.Masker) func(error) any {
	return func(err error) any {
		if err == nil {
			return nil
		}
		return masker.Text(err.Error()).String()
	}
}
