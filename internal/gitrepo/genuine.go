package gitrepo

import (
	"errors"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// genuine returns an object that is what its hash stands for. What comes from a server was hashed then, but whoever can write to
// the cache can put anything in the place of an object, and a signature says no more than which hashes somebody meant. The lock
// is held.
func (s *store) genuine(kind plumbing.ObjectType, hash plumbing.Hash) (_ plumbing.EncodedObject, err error) {
	encoded, err := s.objects.EncodedObject(kind, hash)
	if err != nil {
		return nil, err
	}
	reader, err := encoded.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	hasher := plumbing.NewHasher(kind, encoded.Size())
	if _, err := io.Copy(hasher, reader); err != nil {
		return nil, err
	}
	if hasher.Sum() != hash {
		return nil, errOtherContent
	}
	return encoded, nil
}

func (s *store) genuineCommit(hash plumbing.Hash) (*object.Commit, error) {
	encoded, err := s.genuine(plumbing.CommitObject, hash)
	if err != nil {
		return nil, err
	}
	return object.DecodeCommit(s.objects, encoded)
}

func (s *store) genuineTree(hash plumbing.Hash) (*object.Tree, error) {
	encoded, err := s.genuine(plumbing.TreeObject, hash)
	if err != nil {
		return nil, err
	}
	return object.DecodeTree(s.objects, encoded)
}
