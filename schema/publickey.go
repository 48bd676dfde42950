package schema

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
)

// checkPublicKey wants a key as ssh-keygen writes it into a .pub file: a type, the key in base64, which
// begins with the same type, and a comment perhaps. What is in the key is left to Nova.
func checkPublicKey(s string) error {
	if strings.Contains(s, "PRIVATE KEY-----") {
		return errors.New("the public key, which is in the .pub file; this is the private one, which nobody else may have")
	}
	parts := strings.Fields(s)
	if len(parts) < 2 {
		return errors.New("an SSH key of one line, as in a .pub file: its type, the key in base64, and a comment perhaps")
	}
	key, err := base64.StdEncoding.DecodeString(parts[1])
	if err != nil {
		return errors.New("an SSH key of one line, as in a .pub file, and what follows its type is not in base64, or was cut off")
	}
	const length = 4
	if len(key) < length || int64(binary.BigEndian.Uint32(key)) > int64(len(key)-length) {
		return errors.New("an SSH key of one line, as in a .pub file, and what follows its type is no key, or was cut off")
	}
	if inner := string(key[length : length+int(binary.BigEndian.Uint32(key))]); inner != parts[0] {
		return errors.New("an SSH key of one line, as in a .pub file, which begins with the type that the key has itself")
	}
	return nil
}
