// Package signature tells whether somebody who is trusted has signed a commit of Git.
//
// In go the contents of files that list who is trusted, and the raw bytes of a commit. Out comes the name of
// the signer, or a sentence that says why the commit is not to be trusted. The lists are OpenPGP public keys in
// ASCII armor, or lines as in OpenSSH's file of allowed signers.
//
// [Key] is the other side: it signs the commits that we make.
//
// Both work on the bytes as Git hashes them, not on what a library made of them: what is signed is everything
// but the signature, headers that nobody knows included. The package reads no files and asks nobody.
package signature
