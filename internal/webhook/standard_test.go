package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/webhook"
)

// signingToken is that of the example of the specification, whose signature is told there.
const signingToken = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// standardly returns the headers of a request that is signed with a signing token.
func standardly(t *testing.T, token, id string, sent time.Time, body string) []string {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(token, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	seconds := strconv.FormatInt(sent.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + seconds + "." + body))
	return []string{"Webhook-Id", id, "Webhook-Timestamp", seconds, "Webhook-Signature", "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))}
}

func newStandardDesk(token string) *desk {
	d := newDesk()
	d.Secret = func() (redact.Secret, error) { return redact.NewSecret(token), nil }
	return d
}

// TestStandardWebhooks has GitLab sign as it does with a signing token. The signature is of the id and the time as well, and the
// time of these minutes.
func TestStandardWebhooks(t *testing.T) {
	const body, id = `{"object_kind":"push"}`, "5c7b"
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("another key of thirty-two bytes!"))
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		good := standardly(t, signingToken, id, now, body)
		with := func(header, value string) []string {
			changed := slices.Clone(good)
			changed[slices.Index(changed, header)+1] = value
			return changed
		}
		bad := standardly(t, other, id, now, body)[5]
		for name, test := range map[string]struct {
			headers []string
			want    webhook.Result
		}{
			"GitLab":                       {append(slices.Clone(good), "X-Gitlab-Event", "Push Hook"), webhook.Accepted},
			"GitLab, an issue":             {append(slices.Clone(good), "X-Gitlab-Event", "Issue Hook"), webhook.Ignored},
			"GitLab, with a token as well": {append(slices.Clone(good), "X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", "of somebody else"), webhook.Accepted},
			"two keys":                     {with("Webhook-Signature", bad+" v1a,AAAA "+good[5]), webhook.Accepted},
			"another key":                  {with("Webhook-Signature", bad), webhook.Refused},
			"another version":              {with("Webhook-Signature", strings.Replace(good[5], "v1,", "v2,", 1)), webhook.Refused},
			"no base64":                    {with("Webhook-Signature", "v1,%"), webhook.Refused},
			"an empty one":                 {with("Webhook-Signature", "v1,"), webhook.Refused},
			"another id":                   {with("Webhook-Id", "5c7c"), webhook.Refused},
			"another time":                 {with("Webhook-Timestamp", strconv.FormatInt(now.Unix()+1, 10)), webhook.Refused},
			"no time":                      {with("Webhook-Timestamp", "soon"), webhook.Refused},
			"five minutes ago":             {standardly(t, signingToken, id, now.Add(-5*time.Minute), body), webhook.Accepted},
			"long ago":                     {standardly(t, signingToken, id, now.Add(-5*time.Minute-time.Second), body), webhook.Refused},
			"in a while":                   {standardly(t, signingToken, id, now.Add(5*time.Minute+time.Second), body), webhook.Refused},
			"the token in place of it":     {[]string{"X-Gitlab-Token", signingToken}, webhook.Accepted},
		} {
			d := newStandardDesk(signingToken)
			if d.send(body, test.headers...); !slices.Equal(d.results, []webhook.Result{test.want}) {
				t.Errorf("%s: %v, want %s", name, d.results, test.want)
			}
		}
	})
}

// TestStandardWebhooksByTheBook is the example of the specification.
func TestStandardWebhooksByTheBook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sent = 1614265330
		time.Sleep(time.Until(time.Unix(sent, 0)))
		d := newStandardDesk(signingToken)
		d.send(`{"test": 2432232314}`, "Webhook-Id", "msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp", strconv.Itoa(sent),
			"Webhook-Signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
		if !slices.Equal(d.results, []webhook.Result{webhook.Accepted}) {
			t.Error(d.results)
		}
	})
}

// TestStandardWebhooksRepeated: one that is sent again is known, and so is another request to which somebody adds the headers of
// one that it is not.
func TestStandardWebhooksRepeated(t *testing.T) {
	t.Parallel()
	d := newStandardDesk(signingToken)
	first := standardly(t, signingToken, "1", time.Now(), "a")
	d.send("a", first...)
	d.send("a", append(first, "X-Gitlab-Event-UUID", "another")...)
	d.send("a", standardly(t, signingToken, "2", time.Now(), "a")...)
	if want := []webhook.Result{webhook.Accepted, webhook.Repeated, webhook.Accepted}; !slices.Equal(d.results, want) {
		t.Errorf("%v, want %v", d.results, want)
	}

	d = newDesk()
	for _, id := range []string{"1", "2"} {
		d.send("a", "X-Signature", "sha256="+sign(sha256.New, "a"), "Webhook-Id", id, "Webhook-Timestamp", "1", "Webhook-Signature", "v1,AAAA")
	}
	d.send("a", "Webhook-Id", "1", "Webhook-Timestamp", "1", "Webhook-Signature", "v1,AAAA")
	if want := []webhook.Result{webhook.Accepted, webhook.Repeated, webhook.Refused}; !slices.Equal(d.results, want) {
		t.Errorf("with a secret of another kind: %v, want %v", d.results, want)
	}
}

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	for secret, good := range map[string]bool{signingToken: true, "0123456789abcdef": true, "whsec_": false, "whsec_%%%%%%%%%%%%": false, signingToken[:len(signingToken)-1]: false} {
		err := webhook.CheckSecret(secret)
		if (err == nil) != good || err != nil && strings.Contains(err.Error(), "MfKQ") {
			t.Errorf("%s: %v", secret, err)
		}
	}
}

// Whatever stands in the headers of Standard Webhooks, only the signature of these passes, and always does.
func FuzzStandardWebhooks(f *testing.F) {
	f.Add("1", int64(0), "v1,AAAA v1,", "{}")
	f.Add("", int64(-1<<62), "v1", "\x00")
	f.Add("a.b", int64(301), " v1,%  v1a,", "")
	f.Fuzz(func(t *testing.T, id string, late int64, signatures, body string) {
		good := standardly(t, signingToken, id, time.Now().Add(-time.Duration(late%600)*time.Second), body)
		d := newStandardDesk(signingToken)
		if d.send(body, append(slices.Clone(good[:5]), signatures)...); d.pushed != 0 && !strings.Contains(signatures, good[5]) {
			t.Errorf("%q passes", signatures)
		}
		d = newStandardDesk(signingToken)
		want := id != "" && max(late%600, -(late%600)) < 290 // a machine may be busy for some seconds
		if d.send(body, append(slices.Clone(good[:5]), signatures+" "+good[5])...); want && d.pushed != 1 {
			t.Errorf("what is signed: %v", d.results)
		}
	})
}
