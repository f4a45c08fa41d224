// Package browser holds the list of what the browser tool must be able to do,
// each line a check, against a full browser and against the headless shell. It
// works through the tool as an agent does; what a page or a server saw is the
// judge, and not what the tool says of itself.
package browser

import (
	"os"
	"testing"

	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/browser/chromium"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) } //nolint:forbidigo // tests end so

// A check is one line of the list.
type check struct {
	name string
	do   func(k *kit)
}

// lists are the checks by what they are about, in the order that they run in:
// the last ones kill the browser.
var lists = []struct {
	about string
	list  []check
}{
	{"launch", launchChecks},
	{"navigate", navigateChecks},
	{"snapshot", snapshotChecks},
	{"click", clickChecks},
	{"fill", fillChecks},
	{"choose", chooseChecks},
	{"keys and mouse", inputChecks},
	{"shadow roots", shadowChecks},
	{"frames", frameChecks},
	{"files", fileChecks},
	{"dialogs", dialogChecks},
	{"tabs", tabChecks},
	{"wait", waitChecks},
	{"look", lookChecks},
	{"cookies", cookieChecks},
	{"trouble", troubleChecks},
}

// TestFeatures runs the list on the full browser.
func TestFeatures(t *testing.T) { features(t, browsertest.Full(t)) }

// TestFeaturesShell runs it on the headless shell.
func TestFeaturesShell(t *testing.T) {
	b := browsertest.Binary(t)
	if !b.Shell && os.Getenv("HOBKIN_TEST_BROWSER") != "full" {
		t.Skip("no headless shell is installed (chromium-headless-shell)")
	}
	features(t, b)
}

func features(t *testing.T, b chromium.Binary) {
	t.Helper()
	k := newKit(t, b)
	all, passed := 0, 0
	for _, l := range lists {
		t.Run(l.about, func(t *testing.T) {
			for _, c := range l.list {
				all++
				if t.Run(c.name, func(t *testing.T) { k.run(t, c) }) {
					passed++
				}
			}
		})
	}
	if all < 85 {
		t.Errorf("%d checks are fewer than the list has", all)
	}
	t.Logf("PASSED %d of %d checks on %s", passed, all, b.Path)
}
