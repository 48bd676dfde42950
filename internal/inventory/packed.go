package inventory

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
)

const (
	// packAbove is from how many bytes on a shard is packed: a Secret holds less than a MiB. What is smaller stays as
	// it is, so that people can read it, and older programs.
	packAbove = 256 << 10
	// mostUnpacked bounds what somebody's damage may unfold to.
	mostUnpacked = 64 << 20
)

// encode returns a shard as it is stored, and how large it is before it is packed.
func encode(c content) (data []byte, size int, err error) {
	data, err = json.Marshal(c)
	if err != nil || len(data) <= packAbove {
		return data, len(data), err
	}
	size = len(data)
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestSpeed) // it is written anew with each change
	if err != nil {
		return nil, 0, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, 0, err
	}
	if err := w.Close(); err != nil {
		return nil, 0, err
	}
	data, err = json.Marshal(content{Format: formatPacked, Packed: small.Bytes()})
	return data, size, err
}

// unpack returns the content of what is packed.
func unpack(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, mostUnpacked+1))
	if err == nil && len(content) > mostUnpacked {
		err = fmt.Errorf("it unfolds to more than %d MiB", mostUnpacked>>20)
	}
	return content, err
}

// decode reads a shard.
func decode(name string, data []byte) (content, error) {
	c, err := decodePlain(name, data)
	if err != nil || c.Packed == nil {
		return c, err
	}
	inner, err := unpack(c.Packed)
	if err != nil {
		return content{}, fmt.Errorf("the inventory's shard %s cannot be unpacked: %w", name, err)
	}
	if c, err = decodePlain(name, inner); err == nil && c.Packed != nil {
		err = fmt.Errorf("the inventory's shard %s is packed twice", name)
	}
	c.size = len(inner)
	return c, err
}
