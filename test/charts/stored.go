package charts

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/release"
)

// LargestRelease is what a Secret can hold, which Helm keeps a release in.
const LargestRelease = 1 << 20

// Rendered renders a chart of a directory that has the library beside it, and returns how large that release is as Helm
// keeps it.
func Rendered(dir, name, namespace string, values map[string]any) (size int, err error) {
	loaded, err := loader.LoadDir(filepath.Join(dir, name))
	if err != nil {
		return 0, fmt.Errorf("load chart %s: %w", name, err)
	}
	toolkit, err := loader.LoadDir(filepath.Join(dir, library))
	if err != nil {
		return 0, fmt.Errorf("load chart %s: %w", library, err)
	}
	loaded.SetDependencies(toolkit)
	merged, err := chartutil.ToRenderValues(loaded, values, chartutil.ReleaseOptions{Name: name, Namespace: namespace}, nil)
	if err != nil {
		return 0, fmt.Errorf("chart %s: %w", name, err)
	}
	files, err := engine.Render(loaded, merged)
	if err != nil {
		return 0, fmt.Errorf("render chart %s: %w", name, err)
	}
	var manifest strings.Builder
	for _, file := range slices.Sorted(maps.Keys(files)) {
		manifest.WriteString("---\n" + files[file] + "\n")
	}
	return Stored(loaded, values, manifest.String())
}

// Stored returns how large a release is as Helm keeps it.
func Stored(of *chart.Chart, values map[string]any, manifest string) (int, error) {
	data, err := json.Marshal(&release.Release{Name: of.Name(), Chart: of, Config: values, Manifest: manifest})
	if err != nil {
		return 0, fmt.Errorf("encode the release %s: %w", of.Name(), err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression) // as Helm does
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(data); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return base64.StdEncoding.EncodedLen(packed.Len()), nil
}
