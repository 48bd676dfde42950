package faultproxy

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Answer answers in the target's place, which never sees the request. The header may be nil.
func Answer(status int, header http.Header, body []byte) Action {
	return answer("answer", status, header.Clone(), append([]byte(nil), body...))
}

// AnswerKubernetes answers with a Status object, as a Kubernetes API server does: for
// example 409 with metav1.StatusReasonConflict, or 429 with StatusReasonTooManyRequests and
// a retryAfter. A retryAfter above zero, rounded up to seconds, becomes a Retry-After header.
func AnswerKubernetes(status int, reason metav1.StatusReason, message string, retryAfter time.Duration) Action {
	object := failure(status, reason, message)
	if retryAfter > 0 {
		object.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(seconds(retryAfter))}
	}
	return answer("answer", status, jsonHeader(retryAfter), mustJSON(object))
}

// AnswerOpenStack answers with an error document like Keystone's. Other services wrap the
// same members in other names; use Answer where a test depends on them. For retryAfter see
// AnswerKubernetes.
func AnswerOpenStack(status int, message string, retryAfter time.Duration) Action {
	document := map[string]any{"error": map[string]any{"code": status, "title": http.StatusText(status), "message": message}}
	return answer("answer", status, jsonHeader(retryAfter), mustJSON(document))
}

func failure(status int, reason metav1.StatusReason, message string) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(status), Reason: reason, Message: message,
	}
}

func jsonHeader(retryAfter time.Duration) http.Header {
	header := http.Header{"Content-Type": {"application/json"}}
	if retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(seconds(retryAfter)))
	}
	return header
}

func seconds(duration time.Duration) int {
	return int((duration + time.Second - 1) / time.Second)
}

// mustJSON encodes values that are known to be encodable.
func mustJSON(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}
