// Bleve answers requests for tools with the search library of that name, as a
// peer to measure beside. It is given the files of the tool-retrieval set: the
// tools, then those with requests. For each request it prints the names of the
// ten best tools, as a JSON list in a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en" // its stop words and stems
)

func main() {
	if len(os.Args) < 3 {
		fail(fmt.Errorf("bleve TOOLS REQUESTS..."))
	}
	if err := run(os.Args[1], os.Args[2:], os.Stdout); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func run(tools string, requests []string, out io.Writer) error {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = "en"
	mapping.ScoringModel = "bm25"
	index, err := bleve.NewMemOnly(mapping)
	if err != nil {
		return err
	}
	defer index.Close()
	batch := index.NewBatch()
	if err := lines(tools, func(t tool) error { return batch.Index(t.Name, t) }); err != nil {
		return err
	}
	if err := index.Batch(batch); err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	for _, file := range requests {
		err := lines(file, func(r struct {
			Query string `json:"q"`
		},
		) error {
			names, err := search(index, r.Query)
			if err != nil {
				return err
			}
			return enc.Encode(names)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// search weights the name four times, as the other peer does.
func search(index bleve.Index, query string) ([]string, error) {
	name, description := bleve.NewMatchQuery(query), bleve.NewMatchQuery(query)
	name.SetField("name")
	name.SetBoost(4)
	description.SetField("description")
	res, err := index.Search(bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(name, description), 10, 0, false))
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(res.Hits))
	for _, h := range res.Hits {
		names = append(names, h.ID)
	}
	return names, nil
}

// lines decodes a JSON Lines file.
func lines[T any](path string, do func(T) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := do(v); err != nil {
			return err
		}
	}
	return sc.Err()
}
