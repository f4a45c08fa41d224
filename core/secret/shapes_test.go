package secret

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	digits  = "0123456789"
	hexes   = digits + "abcdef"
	capital = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnums  = digits + capital + "abcdefghijklmnopqrstuvwxyz"
	url64   = alnums + "-_"
)

// drawn is a text of letters drawn by lot, with a digit and a capital among
// them where the letters have any. No sample is a real key, and none stands
// whole in this file.
func drawn(rnd *rand.Rand, n int, letters string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[rnd.IntN(len(letters))]
	}
	if n > 14 {
		b[n/2] = '7'
		b[n/2+1] = letters[len(letters)-1]
	}
	return string(b)
}

// tokenSamples are keys and tokens as their issuers make them; of each the part
// that must not be shown is the last 8 bytes at least.
func tokenSamples() map[string]string {
	rnd := rand.New(rand.NewPCG(4, 2))
	a := func(n int) string { return drawn(rnd, n, alnums) }
	u := func(n int) string { return drawn(rnd, n, url64) }
	h := func(n int) string { return drawn(rnd, n, hexes) }
	c := func(n int) string { return drawn(rnd, n, capital+digits) }
	return map[string]string{
		"openai": "sk-" + a(48), "openai project": "sk-proj-" + a(40) + "_" + a(20), "openai service": "sk-svcacct-" + a(60), "anthropic": "sk-ant-" + "api03-" + u(93) + "AA",
		"openrouter": "sk-or-v1-" + h(64), "deepseek": "sk-" + h(32), "langfuse": "sk-lf-" + h(8) + "-" + h(12) + "0a1", "groq": "gsk_" + a(52), "xai": "xai-" + a(80), "hugging face": "hf_" + a(34),
		"perplexity": "pplx-" + a(48), "replicate": "r8_" + a(37), "tavily": "tvly-" + a(32), "langsmith": "lsv2_pt_" + h(32) + "_" + h(10), "pinecone": "pcsk_" + u(69), "elevenlabs": "sk_" + h(48),
		"fireworks": "fw_" + a(24), "github": "ghp_" + a(36), "github oauth": "gho_" + a(36), "github server": "ghs_" + a(36), "github refresh": "ghr_" + a(76), "github fine": "github_pat_" + a(22) + "_" + a(59),
		"gitlab": "glpat-" + u(20), "gitlab runner": "glrt-" + u(20), "gitlab trigger": "glptt-" + h(40), "gitlab deploy": "gldt-" + u(20), "npm": "npm_" + a(36), "pypi": "pypi-" + "AgEIcHlwaS5vcmc" + u(120),
		"rubygems": "rubygems_" + h(48), "docker": "dckr_pat_" + u(27), "crates": "cio" + a(32), "nuget": "oy2" + drawn(rnd, 43, digits+"abcdefghijklmnop"), "circleci": "CCIPAT_" + a(22) + "_" + h(40), "buildkite": "bkua_" + h(40),
		"atlassian": "ATATT3" + u(180), "sentry": "sntrys_" + u(120), "postman": "PMAK-" + h(24) + "-" + h(34), "pulumi": "pul-" + h(40), "figma": "figd_" + u(40), "linear": "lin_api_" + a(40), "notion": "ntn_" + a(46),
		"aws": "AKIA" + c(16), "aws session": "ASIA" + c(16), "aws secret": "aws_secret_access_key = " + a(40), "aws secret in JSON": `"SecretAccessKey": "` + a(40), "alibaba": "LTAI" + a(20),
		"google": "AIza" + u(35), "google oauth": "ya29." + u(150), "google client": "GOCSPX-" + u(28), "google refresh": "1//0" + u(100), "digitalocean": "dop_v1_" + h(64), "databricks": "dapi" + h(32),
		"vault": "hvs." + u(90), "doppler": "dp.pt." + a(43), "tailscale": "tskey-auth-" + a(12) + "-" + a(32), "netlify": "nfp_" + a(36), "render": "rnd_" + a(32), "fly": "fm2_" + u(200), "heroku": "HRKU-" + u(60),
		"planetscale": "pscale_tkn_" + u(43), "supabase": "sbp_" + h(40), "grafana": "glsa_" + a(32) + "_" + h(8), "new relic": "NRAK-" + c(27), "1password": "ops_eyJ" + u(300), "terraform": a(14) + ".atlasv1." + u(67),
		"stripe": "sk_live_" + a(24), "stripe test": "sk_test_" + a(99), "stripe restricted": "rk_live_" + a(24), "stripe webhook": "whsec_" + a(32), "shopify": "shpat_" + h(32), "square": "sq0atp-" + u(22),
		"sendgrid": "SG." + u(22) + "." + u(43), "mailgun": "key-" + h(32), "twilio": "SK" + h(32), "slack bot": "xoxb-" + drawn(rnd, 12, digits) + "-" + drawn(rnd, 12, digits) + "-" + a(24), "slack user": "xoxp-" + drawn(rnd, 12, digits) + "-" + a(32),
		"slack app": "xapp-1-A" + c(10) + "-" + h(64), "slack refresh": "xoxe-1-" + a(140), "slack hook": "https://hooks.slack.com/services/T" + c(8) + "/B" + c(8) + "/" + a(24),
		"discord hook": "https://discord.com/api/webhooks/" + drawn(rnd, 18, digits) + "/" + u(68), "telegram": drawn(rnd, 10, digits) + ":AA" + u(33), "telegram url": "https://api.telegram.org/bot" + drawn(rnd, 9, digits) + ":AA" + u(33),
		"jwt": "eyJ" + u(30) + ".eyJ" + u(60) + "." + u(43), "bearer": "Authorization: Bearer " + u(40), "basic": "Authorization: Basic " + a(30) + "==", "api key header": "X-Api-Key: " + u(32),
		"azure storage": "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + a(86) + "==", "azure bus": "Endpoint=sb://x;SharedAccessKeyName=n;SharedAccessKey=" + a(43) + "=", "sql server": "Server=db;User Id=sa;Password=" + a(14),
		"age": "AGE-SECRET-KEY-1" + c(58), "url": "https://ada:" + a(12), "postgres": "postgresql://ada:" + a(16), "redis": "redis://:" + a(20), "mongodb": "mongodb+srv://u:" + a(20),
		"rsa key": pem("RSA PRIVATE KEY", a(64)), "openssh key": pem("OPENSSH PRIVATE KEY", a(64)), "ec key": pem("EC PRIVATE KEY", a(64)), "pgp key": pem("PGP PRIVATE KEY BLOCK", a(64)), "encrypted key": pem("ENCRYPTED PRIVATE KEY", a(64)),
	}
}

func pem(label, body string) string {
	return "-----BEGIN " + label + "-----\n" + body + "\n" + body + "\n-----END " + label + "-----"
}

// closed puts behind a sample what its place in a text demands.
func closed(name, sample string) string {
	switch name {
	case "url", "postgres", "redis", "mongodb":
		return sample + "@host/x"
	case "sql server":
		return sample + ";"
	}
	return sample
}

func TestTokenShapes(t *testing.T) {
	r := &Redactor{}
	samples := tokenSamples()
	if len(samples) < 60 {
		t.Fatalf("%d samples, want 60", len(samples))
	}
	for name, token := range samples {
		for _, around := range []string{"%s", "key=%s ", `{"key":"%s","x":1}`, "(%s), and", "a\n%s\nb", `a\n%s\nb`, "'%s'"} {
			text := fmt.Sprintf(around, closed(name, token))
			got := r.Redact(text)
			secret := token
			if i := strings.LastIndex(token, "-----END"); i > 0 {
				secret = token[:i-1]
			}
			if !strings.Contains(got, Hidden) || strings.Contains(got, secret[len(secret)-8:]) {
				t.Errorf("%s: %q became %q", name, text, got)
			}
			if before, after, _ := strings.Cut(fmt.Sprintf(around, "\x00"), "\x00"); !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
				t.Errorf("%s: what stands around it changed: %q became %q", name, text, got)
			}
		}
	}
}

// What looks like a key at first sight, and is none.
func TestHarmlessLookAlikes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 3))
	h := func(n int) string { return drawn(rnd, n, hexes) }
	a := func(n int) string { return drawn(rnd, n, alnums) }
	b64 := func(n int) string { return drawn(rnd, n, alnums+"+/") }
	keep := []string{
		// hashes and sums
		"commit " + h(40), "index " + h(7) + ".." + h(7) + " 100644", h(64) + "  file.iso", "md5: " + h(32), "sha256:" + h(64), "sha1-" + b64(27) + "=", `"integrity": "sha512-` + b64(86) + `=="`,
		"h1:" + b64(43) + "=", `ETag: "` + h(32) + `"`, "image@sha256:" + h(64), "v0.0.0-20240102150405-" + h(12), "refs/heads/" + h(40), "crc32 " + h(8), "SHA256 (x.tar.gz) = " + h(64), "SHA256:" + b64(43),
		// ids
		h(8) + "-" + h(4) + "-4" + h(3) + "-a" + h(3) + "-" + h(12), "01" + drawn(rnd, 24, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"), "request-id: " + h(32), "arn:aws:iam::123456789012:role/Admin", "i-" + h(17), "vpc-" + h(8), "AC" + h(32), "cus_" + a(14), "pk_live_" + a(24),
		"price_1" + a(23), "urn:uuid:" + h(8), "build-" + h(32), "toolu_" + a(24), "chatcmpl-" + a(29), "msg_" + a(24), "session_" + a(26), "trace " + h(32) + " span " + h(16), "device AA:BB:CC:DD:EE:FF", "2026-11-30T12:00:00.123456789Z",
		// pictures, certificates, public keys
		"data:image/png;base64,iVBORw0KGgo" + b64(200), "data:image/jpeg;base64,/9j/4AAQSkZJRg" + b64(200), "data:font/woff2;base64,d09GMg" + strings.Repeat("A", 60) + b64(80), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + b64(43) + " me@host",
		"ssh-rsa AAAAB3NzaC1yc2E" + b64(300), "age1" + drawn(rnd, 58, "023456789acdefghjklmnpqrstuvwxyz"), pem("CERTIFICATE", b64(64)), pem("PUBLIC KEY", b64(64)), pem("PGP PUBLIC KEY BLOCK", b64(64)),
		// words that begin like a token
		"task-list-with-a-long-name-and-123456789012", `class="sk-fading-circle sk-circle-fade-dot-12"`, "disk-" + h(32), "Bearer authentication is described below", "Basic authentication of users is simple", "the AKIA prefix", "ghp_short", "xoxb-", "eyJ", "eyJhbGciOiJIUzI1NiJ9.x.y",
		"npm_config_registry=https://example.org", "npm_package_dependencies_some_long_name_2", "hf_hub_download_with_a_rather_long_name_x", "sk_some_function_with_a_rather_long_name_and_2_numbers", "fw_some_function_with_2_words_in_it", "SG.not", "key-value-store-with-a-long-name-2",
		"rnd_state_of_the_generator_number_2_here", "cio_read_the_whole_file_number_2_xyz", "pul-request", "glpat-", "tskey-", "hvs.", "1//0", "ops_eyJ", "SKU" + c12(rnd), "https://hooks.slack.com/services/", "AIzaSy", "ya29.", "-----BEGIN ", "AccountKey=", "X-Api-Key: ", "dp.pt.",
		// addresses
		"https://example.org/a:b@c", "https://user@example.org", "https://user:${PASS}@host", "https://user:****@host", "https://user:xxxxx@host", "see http://localhost:8080/x", "git@github.com:owner/repo.git", "scp user@host:/path", "postgres://db:5432/x", "12345678:AAshort",
		"aws_secret_access_key is a setting", "aws_secret_access_key = ${SECRET}", "Server=db;Password=;", "Server=db;Password=${PASS};", "ratio 1:AAA", "mailto:ada@example.org?subject=a:b",
		Hidden, "Authorization: Bearer " + Hidden, "https://ada:" + Hidden + "@host", "", "a", "sk-",
	}
	if len(keep) < 60 {
		t.Fatalf("%d texts, want 60", len(keep))
	}
	r := &Redactor{}
	for _, text := range keep {
		for _, around := range []string{"%s", "a %s b\n", `{"a":"%s"}`} {
			text := fmt.Sprintf(around, text)
			if got := r.Redact(text); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

func c12(rnd *rand.Rand) string { return drawn(rnd, 12, capital) }
