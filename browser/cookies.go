package browser

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// cookieFile holds the cookies while the browser runs: it writes its own down
// only every half minute, and a kill would log the person out. A browser that
// ends well needs it no more.
const cookieFile = "hobkin-cookies.json"

func (in *instance) cookiePath() string {
	if in.profile == nil || in.profile.Temporary() {
		return ""
	}
	return filepath.Join(in.profile.Dir(), cookieFile)
}

// keepCookies saves the cookies, if they have changed.
func (in *instance) keepCookies(ctx context.Context) {
	path := in.cookiePath()
	if path == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var now struct {
		Cookies json.RawMessage `json:"cookies"`
	}
	if in.root.Call(ctx, "Storage.getCookies", nil, &now) != nil {
		return // it is on its way out, or slow; the next time will do
	}
	in.cookieMu.Lock()
	defer in.cookieMu.Unlock()
	if string(now.Cookies) == in.cookies {
		return
	}
	if err := replace(path, now.Cookies); err != nil {
		in.b.log.Warn("cookies could not be saved", "err", err)
		return
	}
	in.cookies = string(now.Cookies)
}

// replace writes a file whole or not at all.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), cookieFile+"-*") // for this user alone
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// forgetCookies removes the file after an end that the browser wrote its own
// cookies down at.
func (in *instance) forgetCookies() {
	if path := in.cookiePath(); path != "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			in.b.log.Warn("saved cookies could not be removed", "err", err)
		}
	}
}

// reviveCookies gives a browser the cookies that a kill has taken from it.
func (in *instance) reviveCookies(ctx context.Context) error {
	path := in.cookiePath()
	if path == "" {
		return nil
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var saved []savedCookie
	if err := json.Unmarshal(raw, &saved); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	now := float64(time.Now().Unix())
	list := saved[:0]
	for _, c := range saved {
		if c.Expires > 0 && c.Expires < now {
			continue
		}
		if c.Expires < 0 {
			c.Expires = 0 // of a session: none is given
		}
		list = append(list, c)
	}
	return in.root.Call(ctx, "Storage.setCookies", map[string]any{"cookies": list}, nil)
}

// savedCookie is what Storage.getCookies says of a cookie and Storage.setCookies
// takes.
type savedCookie struct {
	Name         string          `json:"name"`
	Value        string          `json:"value"`
	Domain       string          `json:"domain"`
	Path         string          `json:"path"`
	Expires      float64         `json:"expires,omitempty"` // seconds since 1970
	HTTPOnly     bool            `json:"httpOnly,omitempty"`
	Secure       bool            `json:"secure,omitempty"`
	SameSite     string          `json:"sameSite,omitempty"`
	Priority     string          `json:"priority,omitempty"`
	SourceScheme string          `json:"sourceScheme,omitempty"`
	SourcePort   int             `json:"sourcePort,omitempty"`
	PartitionKey json.RawMessage `json:"partitionKey,omitempty"`
}
