package permission

import (
	"net/url"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/lazy"
)

// addresses matches web addresses in a text.
var addresses = lazy.Regexp("(?i)\\bhttps?://[^\\s<>\"'`\\\\{}|^\\x00-\\x1f]+")

// hostNames matches names such as example.org in what a person writes.
var hostNames = lazy.Regexp(`(?i)(?:^|[\s(/"'@])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})(?:$|[\s/:?#).,;!"'])`)

// fileEndings are endings of file names that are top-level domains too: a
// person who names main.py means no host.
var fileEndings = set("go", "py", "rs", "sh", "md", "zip", "js", "ts", "pl", "cc", "cpp", "mov", "app", "ps", "rb", "so", "in", "am", "ml", "mm", "ph", "pm", "st", "tf", "vi", "ai", "cs", "hs", "kt", "css", "html", "json", "txt", "toml", "yaml", "yml", "csv", "pdf", "doc", "docx", "png", "jpg", "svg", "xml", "ini", "log", "lock", "mod", "sum", "exe")

// harvest remembers the addresses in a text that the conversation holds.
func (r *reading) harvest(text string) {
	if len(text) > maxHarvest {
		text = capability.CutText(text, maxHarvest)
	}
	for _, m := range addresses().FindAllString(text, maxURLs) {
		if len(r.urls) >= maxURLs {
			return
		}
		for _, form := range trimmed(m) {
			if u := sameAddress(form); u != "" {
				r.urls[u] = true
			}
		}
	}
}

// trimmed are the readings of an address at the end of a sentence or in
// brackets: with and without the marks behind it.
func trimmed(m string) []string {
	out := []string{m}
	for {
		cut := strings.TrimRight(m, ".,;:!?*_")
		if strings.HasSuffix(cut, ")") && strings.Count(cut, "(") < strings.Count(cut, ")") || strings.HasSuffix(cut, "]") && !strings.Contains(cut, "[") {
			cut = cut[:len(cut)-1]
		}
		if cut == m {
			return out
		}
		m = cut
		out = append(out, m)
	}
}

// nameHosts remembers the hosts that a person named.
func (r *reading) nameHosts(text string) {
	text = capability.CutText(text, maxHarvest)
	for _, m := range addresses().FindAllString(text, 1000) {
		if u, err := url.Parse(m); err == nil && normalHost(u.Host) != "" {
			r.hosts[normalHost(u.Host)] = true
		}
	}
	for _, m := range hostNames().FindAllStringSubmatch(text, 1000) {
		ending := strings.ToLower(m[1][strings.LastIndexByte(m[1], '.')+1:])
		if host := normalHost(m[1]); host != "" && !fileEndings[ending] {
			r.hosts[host], r.hosts["www."+host] = true, true
		}
	}
}

// sameAddress writes an address the one way it is compared: the fragment, which
// is not sent, and the difference between http and https do not count.
func sameAddress(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	host := normalHost(u.Host)
	if host == "" {
		return ""
	}
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
	out := host + strings.TrimSuffix(u.EscapedPath(), "/")
	if u.RawQuery != "" {
		out += "?" + u.RawQuery
	}
	return out
}

// known reports whether an address was written or read as it stands, or is on a
// host that the person named: opening it tells no one anything that the agent
// has put together.
func (r *reading) known(address string) bool {
	same := sameAddress(address)
	if same == "" {
		return false
	}
	u, err := url.Parse(strings.TrimSpace(address))
	return r.urls[same] || err == nil && r.hosts[normalHost(u.Host)]
}
