package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	methodWebDownload = "web-download"
	// keyImportTask is what Glance puts at an image for as long as an import of it goes on.
	keyImportTask = "os_glance_import_task"
)

// download has Glance fetch the bytes of an image itself, and waits for that. An import that goes on already, as
// after a restart of ours, is waited for alone.
func (u *uploads) download(ctx context.Context, s *session, job upload) error {
	look := call{service: serviceImage, method: http.MethodGet, path: pathOf("images", job.image)}
	image, err := s.do(ctx, look)
	if err != nil {
		return err
	}
	if textAt(image, "status") == "queued" && textAt(image, keyImportTask) == "" {
		_, err := s.do(ctx, call{
			service: serviceImage, method: http.MethodPost, path: pathOf("images", job.image, "import"),
			body: map[string]any{"method": map[string]any{"name": methodWebDownload, "uri": job.source}},
		})
		if err != nil {
			return refusedImport(err, job.source)
		}
	}
	again := time.NewTicker(imagePause)
	defer again.Stop()
	for {
		image, err := s.do(ctx, look)
		if err != nil {
			return err
		}
		switch textAt(image, "status") {
		case "queued":
			if textAt(image, keyImportTask) == "" {
				return u.failedImport(ctx, s, job)
			}
		case "importing", "uploading", "saving":
		default:
			return nil // whether it is well then is for the next look to say
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for Glance to fetch the image: %w", context.Cause(ctx))
		case <-again.C:
		}
	}
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
