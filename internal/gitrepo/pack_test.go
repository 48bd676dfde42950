package gitrepo

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// packer writes packs, also those that Git would not write.
type packer struct {
	body  bytes.Buffer
	count uint32
}

// packHeader is the size of what comes before the first object.
const packHeader = 12

// add writes an object that says to have so many bytes, and returns its offset. base is what the type needs.
func (p *packer) add(kind plumbing.ObjectType, size int, base []byte, content io.Reader) int {
	at := packHeader + p.body.Len()
	first := byte(kind)<<4 | byte(size&0xf)
	size >>= 4
	for ; size > 0; size >>= 7 {
		p.body.WriteByte(first | 0x80)
		first = byte(size & 0x7f)
	}
	p.body.WriteByte(first)
	p.body.Write(base)
	w := zlib.NewWriter(&p.body)
	_, _ = io.Copy(w, content) // a buffer takes everything
	_ = w.Close()
	p.count++
	return at
}

// blob adds so many zeros.
func (p *packer) blob(size int) int {
	return p.add(plumbing.BlobObject, size, nil, io.LimitReader(zeros{}, int64(size)))
}

// change adds a change of the object at an offset, which comes to as many bytes of the base again.
func (p *packer) change(base, from, to int) int {
	delta := change(from, to)
	return p.add(plumbing.OFSDeltaObject, len(delta), distance(packHeader+p.body.Len()-base), bytes.NewReader(delta))
}

// change makes bytes of another object out of copies of what is one.
func change(from, to int) []byte {
	delta := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(from)), uint64(to))
	for left := to; left > 0; {
		n := min(left, from, 1<<24-1)
		delta = append(delta, 0x80|0x70, byte(n), byte(n>>8), byte(n>>16))
		left -= n
	}
	return delta
}

// distance is how far before an object its base is, as a pack says it.
func distance(n int) []byte {
	encoded := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		encoded = append([]byte{0x80 | byte(n&0x7f)}, encoded...)
	}
	return encoded
}

func (p *packer) pack() []byte {
	pack := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	pack = append(binary.BigEndian.AppendUint32(pack, p.count), p.body.Bytes()...)
	sum := sha1.Sum(pack)
	return append(pack, sum[:]...)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A pack that unfolds to more than memory has is refused before it unfolds.
func TestPacksThatUnfold(t *testing.T) {
	const mib = 1 << 20
	cases := map[string]struct {
		make func(*packer)
		says string
	}{
		"an object": {func(p *packer) { p.blob(64 * mib) }, "a file of 67108864 bytes; 33554432 are the limit"},
		"a change": {func(p *packer) {
			p.change(p.blob(8*mib), 8*mib, 600*mib)
		}, "a file of 629145600 bytes; 33554432 are the limit"},
		"the change itself": {func(p *packer) {
			base := p.blob(1)
			p.add(plumbing.OFSDeltaObject, 600*mib, distance(packHeader+p.body.Len()-base), io.LimitReader(zeros{}, mib))
		}, "a file of 629145600 bytes; 33554432 are the limit"},
		"changes of changes": {func(p *packer) {
			at := p.blob(8 * mib)
			for range 100 {
				at = p.change(at, 8*mib, 8*mib)
			}
		}, "so many versions"},
		"changes of what is named": {func(p *packer) {
			p.blob(8 * mib)
			base := plumbing.ComputeHash(plumbing.BlobObject, make([]byte, 8*mib))
			for range 100 {
				delta := change(8*mib, 8*mib)
				p.add(plumbing.REFDeltaObject, len(delta), base[:], bytes.NewReader(delta))
			}
		}, "so many versions"},
		"objects": {func(p *packer) {
			p.blob(0)
			p.count = math.MaxUint32
		}, "4294967295 objects at once; 500000 are the limit"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var p packer
			c.make(&p)
			pack := p.pack()
			to := emptyStore(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := to.unpack(t.Context(), nil, bytes.NewReader(pack), had{})
			runtime.ReadMemStats(&after)
			if KindOf(err) != TooLarge || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %v", err)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 4*mib {
				t.Errorf("%d bytes of a pack took %d of memory", len(pack), taken)
			}
			if left, err := os.ReadDir(filepath.Join(to.dir, packs)); err != nil || len(left) != 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}

// A pack that takes longer to unfold than there is time for is given up.
func TestPacksThatUnfoldForLong(t *testing.T) {
	const mib = 1 << 20
	var p packer
	base := p.blob(32 * mib)
	for range 2000 { // 62 GiB to add up
		p.change(base, 32*mib, 32*mib)
	}
	late := errors.New("too late")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, late)
	defer cancel()
	to := emptyStore(t)
	began := time.Now()
	if err := to.unpack(ctx, nil, bytes.NewReader(p.pack()), had{}); !errors.Is(err, late) {
		t.Errorf("the error is %v", err)
	}
	t.Logf("it was given up after %v", time.Since(began))
	if left, err := os.ReadDir(filepath.Join(to.dir, packs)); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// Reading a pack is headway for what is read as often as an honest one needs it, and none afterwards.
func TestReadingIsHeadway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, wait := patient(t.Context(), time.Minute)
		defer wait.stop()
		read := &heeding{ctx: ctx, file: bytes.NewReader(make([]byte, 10*headway)), wait: wait, left: 2 * headway}
		for part := make([]byte, headway); ; time.Sleep(50 * time.Second) {
			if _, err := io.ReadFull(read, part); err != nil {
				if !errors.Is(err, errStalled) {
					t.Error(err)
				}
				break
			}
		}
		if took := time.Since(began); took != 150*time.Second {
			t.Errorf("it was given up after %v", took)
		}
	})
}

// What is as large as it may be is taken.
func TestPacksAtTheLimit(t *testing.T) {
	var p packer
	at := p.blob(maxObject)
	p.change(p.change(at, maxObject, maxObject-100), maxObject-100, maxObject-100)
	if _, err := measurePack(bytes.NewReader(p.pack()), had{}); err != nil {
		t.Error(err)
	}
}

// A pack that lies of itself, or has an end too early, is an error and nothing that is taken.
func TestPacksThatLie(t *testing.T) {
	var good packer
	good.change(good.blob(100), 100, 200)
	whole := good.pack()
	var more packer
	more.add(plumbing.BlobObject, 10, nil, io.LimitReader(zeros{}, 1000))
	var stray packer
	stray.blob(10)
	stray.change(13, 10, 10)
	var short packer
	short.add(plumbing.OFSDeltaObject, 1, distance(short.blob(10)), bytes.NewReader([]byte{0x80}))
	cases := map[string]struct {
		pack []byte
		kind Kind
	}{
		"nothing":          {nil, Other},
		"cut at the start": {whole[:8], Unreachable},
		"cut":              {whole[:30], Unreachable},
		"more than said":   {more.pack(), Other},
		"no such base":     {stray.pack(), Other},
		"half a change":    {short.pack(), Other},
		"another sum":      {append(bytes.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1), Other},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			to := emptyStore(t)
			err := to.unpack(t.Context(), nil, bytes.NewReader(c.pack), had{})
			if err == nil {
				t.Fatal("it is taken")
			}
			if kind, _ := classify(err); kind != c.kind {
				t.Errorf("the error %v is of kind %d", err, kind)
			}
			if left, err := os.ReadDir(filepath.Join(to.dir, packs)); err != nil || len(left) != 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}

// What Git itself says of a pack is what we say of it, byte for byte.
func TestIndexesAsGit(t *testing.T) {
	var p packer
	size := 1 << 20
	at := p.blob(size)
	for range 8 {
		at = p.change(at, size, size+1)
		size++
	}
	named := plumbing.ComputeHash(plumbing.BlobObject, make([]byte, size))
	p.add(plumbing.REFDeltaObject, len(change(size, 10)), named[:], bytes.NewReader(change(size, 10)))
	to := emptyStore(t)
	if err := to.unpack(t.Context(), nil, bytes.NewReader(p.pack()), had{}); err != nil {
		t.Fatal(err)
	}
	made, err := filepath.Glob(filepath.Join(to.dir, packs, "*.pack"))
	if err != nil || len(made) != 1 {
		t.Fatalf("made are %v, %v", made, err)
	}
	ours, err := os.ReadFile(strings.TrimSuffix(made[0], ".pack") + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "p.idx")
	if output, err := exec.CommandContext(t.Context(), "git", "index-pack", "--index-version=2", "-o", file, made[0]).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	if gits, err := os.ReadFile(file); err != nil || !bytes.Equal(ours, gits) {
		t.Errorf("the index is another one than Git's, %v", err)
	}
}

func emptyStore(t *testing.T) *store {
	t.Helper()
	s, err := openStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
