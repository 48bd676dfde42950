// Package sops reads files that SOPS encrypted.
//
// In come the bytes of a file and, where there are any, age identities. Out goes the document with
// its values, or without identities its shape: SOPS leaves keys and types readable. The package
// reads the formats YAML, JSON and dotenv. It never writes, and reaches no key service: the key of
// a file has to be encrypted for age. Files whose key is only encrypted by PGP or by a key service
// of a cloud, or is split over several groups of keys, are refused.
//
// The format is that of SOPS 3: each value is encrypted with AES-256 in GCM, with the path of its
// keys as additional data, and the file has a MAC over all values, encrypted in the same way with the
// time of the last change as additional data. A value that was changed, moved, added or taken away
// is an error. Neither covers the names of types, so whether 5432 is a number or a text is open to whoever can
// change the file, as it is with SOPS itself.
//
// No error quotes a value. A few bytes of a file can hold no more than they are long, so what is
// returned is as bounded as what comes in; aliases of YAML, which could make more, are refused.
package sops
