package wire

import (
	"fmt"
	"io"

	"github.com/go-logr/zerologr"
	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Logger returns a logger that writes JSON lines, without what a masker knows. A driver takes out what is secret to what it
// looks at, and may hear of what another one has: an API says why it cannot reach its database.
func Logger(w io.Writer, level string, masker *redact.Masker) (zerolog.Logger, error) {
	parsed, err := zerolog.ParseLevel(level)
	if err != nil {
		return zerolog.Nop(), fmt.Errorf("%w: --log-level %s: use debug, info, warn or error", ErrUsage, level)
	}
	return zerolog.New(maskedLines{to: w, masker: masker}).Level(parsed).With().Timestamp().Logger(), nil
}

// LogLibraries makes our libraries use a logger. Their own levels begin at what is worth a warning to an
// operator. They hold it for the whole process, and read it without a lock: so a process calls this once,
// before it makes a client of any of them.
func LogLibraries(log zerolog.Logger) {
	library := log.Level(max(log.GetLevel(), zerolog.WarnLevel))
	kube.LogLibraries(zerologr.New(&library))
}
