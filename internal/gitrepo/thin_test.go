package gitrepo

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// outside adds a change of an object that only has its hash for a name.
func (p *packer) outside(base plumbing.Hash, from, to int) {
	delta := change(from, to)
	p.add(plumbing.REFDeltaObject, len(delta), base[:], bytes.NewReader(delta))
}

func zerosHash(size int) plumbing.Hash {
	return plumbing.ComputeHash(plumbing.BlobObject, make([]byte, size))
}

// holding is a store with files of zeros.
func holding(t *testing.T, sizes ...int) had {
	t.Helper()
	var p packer
	for _, size := range sizes {
		p.blob(size)
	}
	has := had{in: emptyStore(t), room: 1 << 30}
	if err := has.in.unpack(t.Context(), nil, bytes.NewReader(p.pack()), had{}); err != nil {
		t.Fatal(err)
	}
	return has
}

// What a pack tells as changes of files that are here is read without these later.
func TestThinPacks(t *testing.T) {
	has := holding(t, 100, 300)
	var p packer
	p.outside(zerosHash(100), 100, 200)
	p.outside(zerosHash(100), 100, 201)
	p.outside(zerosHash(300), 300, 202)
	p.outside(zerosHash(200), 200, 203) // of one that comes with the pack
	to := emptyStore(t)
	if err := to.unpack(t.Context(), nil, bytes.NewReader(p.pack()), has); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{100, 200, 201, 202, 203, 300} {
		object, err := to.genuine(plumbing.BlobObject, zerosHash(size))
		if err != nil || object.Size() != int64(size) {
			t.Errorf("of the file of %d bytes there is %v, %v", size, object, err)
		}
	}
	made, err := os.ReadDir(filepath.Join(to.dir, packs))
	if err != nil || len(made) != 2 {
		t.Errorf("made are %v, %v", made, err)
	}
}

// A pack that leaves out what is not here, or that says something else of itself than is so, is not taken.
func TestThinPacksThatLie(t *testing.T) {
	has := holding(t, 100)
	var strange, wrong packer
	strange.outside(zerosHash(101), 101, 10)
	wrong.outside(zerosHash(100), 99, 10)
	good := packer{}
	good.outside(zerosHash(100), 100, 10)
	whole := good.pack()
	for name, pack := range map[string][]byte{
		"an object that is not here": strange.pack(),
		"of another size":            wrong.pack(),
		"another sum":                append(bytes.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1),
		"cut":                        whole[:len(whole)-30],
	} {
		t.Run(name, func(t *testing.T) {
			to := emptyStore(t)
			if err := to.unpack(t.Context(), nil, bytes.NewReader(pack), has); err == nil {
				t.Error("it is taken")
			}
			if left, err := os.ReadDir(filepath.Join(to.dir, packs)); err != nil || len(left) != 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}

// Many files that changed are each read with the help of one that is here: they do not count as one chain. What does not fit
// beside what is here may fit alone, so that the error is of no kind that ends all trying.
func TestThinPacksAreMeasured(t *testing.T) {
	const mib = 1 << 20
	has := holding(t, 8*mib, maxObject)
	var many packer
	for range 30 { // 240 MiB
		many.outside(zerosHash(8*mib), 8*mib, 8*mib)
	}
	bases, err := measurePack(bytes.NewReader(many.pack()), has)
	if err != nil || len(bases) != 1 || bases[0] != zerosHash(8*mib) {
		t.Errorf("%d bases, %v", len(bases), err)
	}
	if _, err := measurePack(bytes.NewReader(many.pack()), had{}); KindOf(err) != TooLarge {
		t.Errorf("where nothing is here the error is %v", err)
	}
	var deep packer
	at := packHeader + deep.body.Len()
	deep.outside(zerosHash(maxObject), maxObject, maxObject)
	deep.change(deep.change(at, maxObject, maxObject), maxObject, maxObject)
	if _, err := measurePack(bytes.NewReader(deep.pack()), has); !errors.Is(err, errThin) || KindOf(err) != Other {
		t.Errorf("the error is %v", err)
	}
	var large packer
	large.outside(zerosHash(8*mib), 8*mib, 64*mib)
	if _, err := measurePack(bytes.NewReader(large.pack()), has); KindOf(err) != TooLarge || !strings.Contains(err.Error(), "67108864") {
		t.Errorf("the error is %v", err)
	}
	var full packer
	full.outside(zerosHash(8*mib), 8*mib, mib)
	full.count = maxObjects
	if _, err := measurePack(io.LimitReader(bytes.NewReader(full.pack()), 1<<20), has); !errors.Is(err, errThin) {
		t.Errorf("the error is %v", err)
	}
}

// What the cache has as changes of each other is added to a pack as it is: a few bytes of a server must not fill the disk that way.
func TestBasesHaveABound(t *testing.T) {
	const mib = 1 << 20
	noise := make([]byte, mib)
	_, _ = rand.Read(noise) // never fails
	var p packer
	base := p.add(plumbing.BlobObject, mib, nil, bytes.NewReader(noise))
	var there []plumbing.Hash
	for n := 1; n <= 8; n++ { // each without its end
		delta := change(mib, mib-n)
		p.add(plumbing.OFSDeltaObject, len(delta), distance(packHeader+p.body.Len()-base), bytes.NewReader(delta))
		there = append(there, plumbing.ComputeHash(plumbing.BlobObject, noise[:mib-n]))
	}
	has := had{in: emptyStore(t), room: 9 * mib}
	if err := has.in.unpack(t.Context(), nil, bytes.NewReader(p.pack()), had{}); err != nil {
		t.Fatal(err)
	}
	var thin packer
	for n, object := range there {
		thin.outside(object, mib-n-1, n+1)
	}
	ctx, wait := patient(t.Context(), time.Hour)
	defer wait.stop()
	if err := emptyStore(t).unpack(ctx, wait, bytes.NewReader(thin.pack()), has); err != nil {
		t.Fatal(err)
	}
	if !wait.went { // or a small container would never be done with it
		t.Error("there was no headway")
	}
	has.room = 4 * mib
	to := emptyStore(t)
	if err := to.unpack(t.Context(), nil, bytes.NewReader(thin.pack()), has); !errors.Is(err, errThin) || KindOf(err) != Other {
		t.Errorf("the error is %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(to.dir, packs)); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
