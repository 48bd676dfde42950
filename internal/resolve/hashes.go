package resolve

import (
	"crypto/md5"  //nolint:gosec // a function of the language, for checksums that others publish
	"crypto/sha1" //nolint:gosec // as above
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"

	"github.com/google/uuid"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// checksum is a hash of bytes, written as text.
type checksum func([]byte) string

// checksums are the hashes that there are for texts, and with "file" in front for files.
func checksums() map[string]checksum {
	return map[string]checksum{
		"md5":          func(b []byte) string { sum := md5.Sum(b); return hex.EncodeToString(sum[:]) },  //nolint:gosec // see the import
		"sha1":         func(b []byte) string { sum := sha1.Sum(b); return hex.EncodeToString(sum[:]) }, //nolint:gosec // see the import
		"sha256":       func(b []byte) string { sum := sha256.Sum256(b); return hex.EncodeToString(sum[:]) },
		"sha512":       func(b []byte) string { sum := sha512.Sum512(b); return hex.EncodeToString(sum[:]) },
		"base64sha256": func(b []byte) string { sum := sha256.Sum256(b); return base64.StdEncoding.EncodeToString(sum[:]) },
		"base64sha512": func(b []byte) string { sum := sha512.Sum512(b); return base64.StdEncoding.EncodeToString(sum[:]) },
	}
}

func hashFunctions() map[string]function.Function {
	all := map[string]function.Function{"uuidv5": uuidV5()}
	for name, sum := range checksums() {
		all[name] = textFunction(func(s string) (string, error) { return sum([]byte(s)), nil })
	}
	return all
}

// uuidV5 makes a UUID from a name, always the same for the same.
func uuidV5() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "namespace", Type: cty.String}, {Name: "name", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			var space uuid.UUID
			switch namespace := args[0].AsString(); namespace {
			case "dns":
				space = uuid.NameSpaceDNS
			case "url":
				space = uuid.NameSpaceURL
			case "oid":
				space = uuid.NameSpaceOID
			case "x500":
				space = uuid.NameSpaceX500
			default:
				parsed, err := uuid.Parse(namespace)
				if err != nil {
					return cty.NilVal, function.NewArgError(0, errors.New("must be dns, url, oid, x500 or a UUID"))
				}
				space = parsed
			}
			return cty.StringVal(uuid.NewSHA1(space, []byte(args[1].AsString())).String()), nil
		},
	})
}
