package wire

import (
	"context"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// Variables names the values that the variables of a configuration have, so that processes of one installation can
// compare them in the open: without its key nobody can try out values.
func (s *System) Variables(ctx context.Context, m *model.Model) (string, error) {
	s.mutex.Lock()
	kept := s.kept
	s.mutex.Unlock()
	if kept != nil {
		return nameValues(kept.key, m)
	}
	_, key, found, err := s.cluster.PeekInstallation(ctx)
	if err == nil && !found {
		err = fmt.Errorf("nothing is installed in the namespace %s any more", s.Flags.Namespace)
	}
	if err != nil {
		return "", fmt.Errorf("compare the values of variables: %w", err)
	}
	return nameValues(key, m)
}

func nameValues(key redact.Secret, m *model.Model) (string, error) {
	values, err := m.Values()
	if err != nil {
		return "", err
	}
	digester, err := redact.NewDigester(key)
	if err != nil {
		return "", err
	}
	// What else the key is used for has other names for the same text.
	return digester.Digest(redact.NewSecret("values of variables\x00" + values.Reveal())), nil
}
