package sops

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// sealedText is how SOPS writes an encrypted value.
var sealedText = regexp.MustCompile(`^ENC\[AES256_GCM,data:([^,]+),iv:([^,]+),tag:([^,]+),type:([a-z]+)\]$`)

// sealed is an encrypted value.
type sealed struct {
	data, iv []byte // data with the tag at its end
	kind     string
}

var errNotSealed = errors.New("is not encrypted, and should be")

func parseSealed(text string) (sealed, error) {
	parts := sealedText.FindStringSubmatch(text)
	if parts == nil {
		return sealed{}, errNotSealed
	}
	var decoded [3][]byte
	for i := range decoded {
		var err error
		if decoded[i], err = base64.StdEncoding.DecodeString(parts[i+1]); err != nil {
			return sealed{}, errNotSealed
		}
	}
	s := sealed{data: append(decoded[0], decoded[2]...), iv: decoded[1], kind: parts[4]}
	switch s.kind {
	case typeString, typeInt, typeFloat, typeBool, typeBytes, typeTime:
	default:
		return sealed{}, errors.New("is of a type that is not known here")
	}
	if len(s.iv) == 0 || len(decoded[2]) != aes.BlockSize {
		return sealed{}, errNotSealed
	}
	return s, nil
}

var errChanged = errors.New("was changed or moved after the file was encrypted")

// open decrypts a value. SOPS leaves an empty text as it is.
func open(text string, key []byte, additional string) (*Value, error) {
	if text == "" {
		return &Value{Type: typeString, Scalar: ""}, nil
	}
	s, err := parseSealed(text)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, errChanged
	}
	gcm, err := cipher.NewGCMWithNonceSize(block, len(s.iv))
	if err != nil {
		return nil, errChanged
	}
	plain, err := gcm.Open(nil, s.iv, s.data, []byte(additional))
	if err != nil {
		return nil, errChanged
	}
	return decode(s.kind, plain)
}

func decode(kind string, plain []byte) (*Value, error) {
	v := &Value{Type: kind, Scalar: string(plain)}
	var err error
	switch kind {
	case typeString, typeTime:
		if !utf8.Valid(plain) {
			v.Type, v.Scalar = typeBytes, plain
		}
	case typeBytes:
		v.Scalar = plain
	case typeInt:
		v.Scalar, err = strconv.ParseInt(string(plain), 10, 64)
	case typeFloat:
		v.Scalar, err = strconv.ParseFloat(string(plain), 64)
	case typeBool:
		v.Scalar, err = strconv.ParseBool(string(plain))
	}
	if err != nil {
		return nil, errors.New("is not of the type that the file says") // the error would quote it
	}
	return v, nil
}

// sum is the MAC of a file.
type sum struct{ hash hash.Hash }

// onlyEncrypted begins the MAC of files in which only encrypted values count: the SHA-256 of "sops".
const onlyEncrypted = "8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69"

func newSum(encryptedOnly bool) sum {
	s := sum{sha512.New()}
	if encryptedOnly {
		begin, err := hex.DecodeString(onlyEncrypted)
		if err != nil {
			panic("sops: " + err.Error()) // a constant
		}
		s.hash.Write(begin)
	}
	return s
}

// add counts a value as SOPS prints it.
func (s sum) add(v *Value) {
	var text string
	switch scalar := v.Scalar.(type) {
	case string:
		text = scalar
	case []byte:
		text = string(scalar)
	case int64:
		text = strconv.FormatInt(scalar, 10)
	case float64:
		text = strconv.FormatFloat(scalar, 'f', -1, 64)
	case bool:
		text = "False"
		if scalar {
			text = "True"
		}
	}
	s.hash.Write([]byte(text))
}

// is compares with the MAC that the file has.
func (s sum) is(mac *Value) bool {
	want, _ := mac.Scalar.(string)
	have := strings.ToUpper(hex.EncodeToString(s.hash.Sum(nil)))
	return subtle.ConstantTimeCompare([]byte(have), []byte(want)) == 1
}
