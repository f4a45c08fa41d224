// Webtasks plays MiniWoB++ through the browser tool: pages with a task and a
// reward of their own, by policies that read the instruction and snapshots and
// act by reference. The pages are not part of this project; bring them:
//
//	make web-tasks MINIWOB=/path/to/miniwob-plusplus/miniwob/html
//
// It prints what was won on each page and fails below 95 %.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

const (
	enough      = 0.95             // of all episodes
	episodeTime = 60 * time.Second // the page's own clock has as much
)

// verbose prints what a policy sees and does.
var verbose bool

func main() {
	dir := flag.String("miniwob", "", "the folder miniwob/html of MiniWoB++")
	seeds := flag.Int("seeds", 5, "episodes of each task")
	only := flag.String("tasks", "", "the tasks to play, with commas; otherwise all there are policies for")
	browser := flag.String("browser", "", "the browser's program; otherwise the one that is found")
	flag.BoolVar(&verbose, "v", false, "print every call and what it brought")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	list := names()
	if *only != "" {
		list = strings.Split(*only, ",")
	}
	g := game{dir: *dir, browser: *browser, seeds: *seeds, out: os.Stdout}
	if err := g.play(ctx, list); err != nil {
		fmt.Fprintln(os.Stderr, "webtasks:", err)
		stop()
		os.Exit(1)
	}
}

// A game is a run over some of the pages.
type game struct {
	dir     string // of the pages
	browser string
	seeds   int
	out     io.Writer
}

// play plays all episodes and prints the table.
func (g *game) play(ctx context.Context, list []string) (err error) {
	if _, err := os.Stat(filepath.Join(g.dir, "core", "core.js")); g.dir == "" || err != nil {
		return errors.New("the pages are not there: give the folder miniwob/html of MiniWoB++ by -miniwob, or MINIWOB= of make")
	}
	addr, err := serve(ctx, g.dir)
	if err != nil {
		return err
	}
	d, err := newDriver(addr, g.browser)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }() //nolint:contextcheck // it ends also when ctx has
	won := 0
	for _, name := range list {
		wins := 0
		for seed := 1; seed <= g.seeds; seed++ {
			lost, err := d.episode(ctx, "http://"+addr+"/miniwob/"+name+".html", name, seed)
			if err != nil {
				return fmt.Errorf("%s, seed %d: %w", name, seed, err)
			}
			if lost == "" {
				wins++
				continue
			}
			fmt.Fprintf(g.out, "  lost %s s%d: %s\n", name, seed, lost)
		}
		won += wins
		fmt.Fprintf(g.out, "%-30s %d of %d\n", name, wins, g.seeds)
	}
	all := len(list) * g.seeds
	fmt.Fprintf(g.out, "%d tasks, %d of %d episodes won (%.1f %%)\n", len(list), won, all, 100*float64(won)/float64(all))
	if float64(won) < enough*float64(all) {
		return fmt.Errorf("less than %.0f %% were won", 100*enough)
	}
	return nil
}

// A score is what a page says of an episode.
type score struct {
	Done   bool    `json:"done"`
	Reward float64 `json:"reward"`
}

// episode plays one, and says why it was lost; empty when it was won.
func (d *driver) episode(ctx context.Context, url, name string, seed int) (lost string, err error) {
	policy := policies[name]
	if policy == nil {
		return "", errors.New("there is no policy for it")
	}
	ctx, cancel := context.WithTimeout(ctx, episodeTime+20*time.Second)
	defer cancel()
	action := "navigate"
	if !d.opened {
		action, d.opened = "open", true
	}
	if _, err := d.call(ctx, map[string]any{"action": action, "url": url}); err != nil {
		return "", err
	}
	var say string
	start := fmt.Sprintf(`(() => { core.EPISODE_MAX_TIME = %d; Math.seedrandom('s%d'); core.startEpisodeReal();
		const u = core.getUtterance(); return typeof u === 'string' ? u : u.utterance })()`, episodeTime.Milliseconds(), seed)
	if err := d.evaluate(ctx, start, &say); err != nil {
		return "", err
	}
	t := &task{ctx: ctx, say: say, hand: func(ctx context.Context, args map[string]any) (string, error) {
		out, err := d.call(ctx, args)
		if verbose {
			fmt.Fprintf(os.Stderr, "> %v\n%s\n", args, out.Result.Text)
		}
		if err != nil {
			return "", err
		}
		return content(out.Result.Text), nil
	}}
	policy(t)
	var s score
	for range 10 { // the page counts up a moment after the last act
		if err := d.evaluate(ctx, `({done: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL})`, &s); err != nil {
			return "", err
		}
		if s.Done {
			break
		}
		t.pause(50 * time.Millisecond)
	}
	switch {
	case s.Done && s.Reward >= 1:
		return "", nil
	case t.err != nil:
		return fmt.Sprintf("%q: %v", say, t.err), nil
	}
	return fmt.Sprintf("%q: done %v, reward %.2f", say, s.Done, s.Reward), nil
}
