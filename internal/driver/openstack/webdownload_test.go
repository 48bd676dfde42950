package openstack_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

const importPath = "/v2/images/{id}/import"

// fetched is an image whose bytes Glance fetches from a path of the bench.
func (b *bench) fetched(t *testing.T, path string) unit.Target {
	t.Helper()
	return target(t, "image", unique("image"), values{"web_download": text(b.images + path), "disk_format": text("raw"), "container_format": text("bare")})
}

// begun applies an image until Glance is asked to fetch it.
func (b *bench) begun(t *testing.T, image *unit.Target) {
	t.Helper()
	st, err := b.Apply(t.Context(), *image, wantedOf(*image), b.see(t, *image))
	if err != nil {
		t.Fatal(err)
	}
	image.ID, image.Fresh = st.ID, false
	b.remove(t, *image)
	for b.fleet.Counts().Of("POST", importPath) == 0 {
		if st, diff := b.compare(t, *image); diff.Action == unit.ActionUpdate {
			if _, err := b.Apply(t.Context(), *image, wantedOf(*image), st); err != nil {
				t.Fatal(err)
			}
		}
		pause(t.Context(), t)
	}
}

// fails applies an image until that fails.
func (b *bench) fails(t *testing.T, image *unit.Target) error {
	t.Helper()
	for {
		st, diff := b.compare(t, *image)
		if diff.Action == unit.ActionNone {
			if st.Ready() {
				t.Fatalf("%s is ready", image.Address)
			}
			pause(t.Context(), t)
			continue
		}
		st, err := b.Apply(t.Context(), *image, wantedOf(*image), st)
		if err != nil {
			return err
		}
		if image.ID == "" {
			image.ID, image.Fresh = st.ID, false
			b.remove(t, *image)
		}
	}
}

func TestBedImageThatGlanceFetches(t *testing.T) {
	var options openstack.Options
	b := newBench(t, func(o *openstack.Options) { options = *o })
	path, opened := "/"+unique("disk")+".img", make(chan struct{})
	release := sync.OnceFunc(func() { close(opened) })
	t.Cleanup(release)
	b.served.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-opened:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(1<<20)) // Glance needs to be told
		_, _ = w.Write(make([]byte, 1<<20))
	})
	image := b.fetched(t, path)
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: importPath}, Action: faultproxy.ResetAfter(), Limit: 1})
	b.begun(t, &image)
	b.Close() // as a process that ends; what it has begun goes on
	next := openstack.New(options)
	t.Cleanup(next.Close)
	b.Driver = next
	if st, diff := b.compare(t, image); st.Ready() || diff.Action != unit.ActionNone && diff.Action != unit.ActionUpdate {
		t.Errorf("while Glance fetches it the image is %+v, the diff %+v", st, diff)
	}
	release()
	st := b.converge(t, &image)
	if size, _ := st.Outputs.GetAttr("size").AsBigFloat().Int64(); size != 1<<20 {
		t.Errorf("the image has %d bytes", size)
	}
	counts := b.fleet.Counts()
	if made, asked := counts.Of("POST", imagesPath), counts.Of("POST", importPath); made != 1 || asked != 1 {
		t.Errorf("%d images were made and %d times was one asked for, want one of each", made, asked)
	}
	b.settled(t, image, imagesPath)
	if _, diff := b.compare(t, with(t, image, values{"web_download": text(b.images + "/other")})); diff.Action != unit.ActionReplace || diff.Cost == "" {
		t.Errorf("bytes from elsewhere: %+v", diff)
	}
	moved := with(t, image, values{"source": text(b.images + path), "web_download": cty.NullVal(cty.String)})
	if _, diff := b.compare(t, moved); diff.Action != unit.ActionNone {
		t.Errorf("the same address for KupenStack to fetch: %+v", diff)
	}
}

func TestBedImageThatGlanceCannotFetch(t *testing.T) {
	b := newBench(t)
	path := "/" + unique("disk") + ".img"
	var mu sync.Mutex
	there := false
	b.served.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if !there {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(make([]byte, 1<<10))
	})
	image := b.fetched(t, path+"?token=hidden")
	if err := b.fails(t, &image); unit.IsBlocked(err) || !strings.Contains(err.Error(), "Glance could not fetch the image") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("nothing is there: %v", err)
	}
	mu.Lock()
	there = true
	mu.Unlock()
	b.converge(t, &image)
	if n := b.fleet.Counts().Of("POST", imagesPath); n != 1 {
		t.Errorf("%d images were made, want 1", n)
	}

	forbidden := target(t, "image", unique("image"), values{
		"web_download": text("http://forbidden.invalid/?token=hidden"), "disk_format": text("raw"), "container_format": text("bare"),
	})
	if err := b.fails(t, &forbidden); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "import_filtering_opts") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("where Glance may not fetch from: %v", err)
	}
}
