package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	methodWebDownload = "web-download"
	statusImporting   = "importing"
	// keyImportTask is what Glance puts at an image for as long as an import of it goes on.
	keyImportTask = "os_glance_import_task"
	// importLimit is how long an import is waited for. Glance takes one for lost, and lets another one begin, when it
	// has heard nothing of its task for one hour, or two where the task has not begun.
	importLimit = 2*time.Hour + 5*time.Minute
	// importPause is how long the pauses between two looks at an import become, which begin with imagePause.
	importPause   = 30 * time.Second
	importsAtOnce = 8
)

// download has Glance fetch the bytes of an image itself, and waits for that. An import that goes on already, as
// after a restart of ours, is waited for alone.
func (u *uploads) download(ctx context.Context, s *session, job upload) error {
	release, err := turn(ctx, u.imports)
	if err != nil {
		return err
	}
	defer release()
	look := call{service: serviceImage, method: http.MethodGet, path: pathOf("images", job.image)}
	image, err := s.do(ctx, look)
	if err != nil {
		return err
	}
	if textAt(image, "status") == "queued" && textAt(image, keyImportTask) == "" {
		if _, err := beginImport(ctx, s, job); err != nil {
			return err
		}
	}
	overdue := time.NewTimer(importLimit)
	defer overdue.Stop()
	for pause := imagePause; ; pause = min(pause+pause/2, importPause) {
		image, err := s.do(ctx, look)
		if err != nil {
			return err
		}
		switch textAt(image, "status") {
		case "queued":
			if textAt(image, keyImportTask) == "" {
				return u.failedImport(ctx, s, job)
			}
		case statusImporting, "uploading", "saving":
		default:
			return nil // whether it is well then is for the next look to say
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for Glance to fetch the image: %w", context.Cause(ctx))
		case <-overdue.C:
			return overdueImport(ctx, s, job, textAt(image, "status"))
		case <-time.After(pause):
		}
	}
}

// beginImport asks Glance to fetch the image, and tells whether it fetches it already.
func beginImport(ctx context.Context, s *session, job upload) (already bool, err error) {
	_, err = s.do(ctx, call{
		service: serviceImage, method: http.MethodPost, path: pathOf("images", job.image, "import"),
		body: map[string]any{"method": map[string]any{"name": methodWebDownload, "uri": job.source}},
	})
	if statusIs(err, http.StatusConflict) {
		return true, nil
	}
	if err != nil {
		return false, refusedImport(err, job.source)
	}
	return false, nil
}

// overdueImport asks Glance once more for an image that it should have fetched long ago. It fetches images in the
// process of its API; when that ends nothing else ends the import, until Glance is asked for another one. What has got
// beyond being queued Glance fetches no more: that is for the next look to say.
func overdueImport(ctx context.Context, s *session, job upload, status string) error {
	if status != "queued" {
		return nil
	}
	already, err := beginImport(ctx, s, job)
	if err == nil && already {
		return fmt.Errorf("import the image: after %v Glance says that it still fetches it; it is asked again later", importLimit)
	}
	return err // without one it begins anew, and the next look has it waited for
}

// overdue tells whether nothing has become of an image for so long that no import of it can be expected to end.
func overdue(image map[string]any) bool {
	changed, err := time.Parse(time.RFC3339, textAt(image, "updated_at"))
	return err == nil && time.Since(changed) > importLimit
}

// converted tells whether the format that is wanted is what an image was made with that Glance has fetched. It may
// have made another one of it since, as its plugin image_conversion does; to make the image anew would not help.
func converted(name string, want cty.Value, o *object) bool {
	disk, container, kept := strings.Cut(textAt(o.raw, keyFormat), "/")
	return kept && (name == keyDisk && textOf(want) == disk || name == keyContainer && textOf(want) == container)
}

// refusedImport is the error of a refused import, without the address: that may have a secret in it, and Glance
// repeats it. What Glance does not allow stays so until somebody changes one of the two.
func refusedImport(err error, source string) error {
	var answer *apiError
	if !errors.As(err, &answer) {
		return err
	}
	told := *answer
	told.message = strings.ReplaceAll(told.message, source, "its address")
	if told.status == http.StatusBadRequest || told.status == http.StatusForbidden {
		return unit.Blocked(fmt.Sprintf("Glance does not fetch the image: %v: see enabled_import_methods and import_filtering_opts of Glance", &told))
	}
	return &told
}

// failedImport says why Glance could not fetch the image, as far as its task tells.
func (u *uploads) failedImport(ctx context.Context, s *session, job upload) error {
	answer, err := s.do(ctx, call{service: serviceImage, method: http.MethodGet, path: pathOf("images", job.image, "tasks")})
	if err != nil {
		return fmt.Errorf("import the image: Glance could not fetch the image, and does not say why: %w", err)
	}
	message, last := "it does not say why", ""
	tasks, _ := answer["tasks"].([]any)
	for _, each := range tasks {
		task, _ := each.(map[string]any)
		if at := textAt(task, "created_at"); textAt(task, "status") == "failure" && textAt(task, "message") != "" && at >= last {
			message, last = textAt(task, "message"), at
		}
	}
	message = strings.ReplaceAll(message, job.source, "its address")
	return fmt.Errorf("import the image: Glance could not fetch the image: %s; its log has more", shorten(s.masker.Text(message).String()))
}
