package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/hobkin/hobkin/core/capability"
)

// products is what the agent can do with the catalogue. The shop is ours: a
// handler is given what it needs when it is made.
func products(s *shop) capability.Definition {
	return capability.Define("shop.products", "Products", "Finds products and orders more of them.").
		Instructions("Use article numbers as they are. Never guess one.").
		Metadata(map[string]string{"owner": "sales"}).
		Tool(capability.Typed(find{s})).
		Tool(capability.Typed(restock{s}))
}

// A product is what find returns: the schema that the model may rely on.
type product struct {
	SKU   string `json:"sku" jsonschema:"article number"`
	Name  string `json:"name"`
	Cents int    `json:"cents" min:"0" jsonschema:"net price in euro cents"`
	Stock int    `json:"stock" min:"0" jsonschema:"pieces on the shelf"`
}

type findIn struct {
	SKU string `json:"sku" min:"1" max:"20" jsonschema:"exact article number, such as A-100"`
}

// find looks a product up. It changes nothing, so that nobody is asked.
type find struct{ *shop }

func (find) Name() string        { return "product_find" }
func (find) Title() string       { return "Find a product" }
func (find) Description() string { return "Finds one product by its article number." }

func (find) Hints() capability.Hints {
	return capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes}
}

// notFound is declared, so that the tool's page and the model know of it.
var notFound = &capability.Failure{Code: "product_not_found", When: "no product has that article number", Try: "ask for the article number"}

func (find) Docs() capability.Docs {
	return capability.Docs{When: "an article number is known", Fails: []*capability.Failure{notFound}}
}

func (f find) Handle(ctx context.Context, in findIn) (product, error) {
	capability.Progress(ctx, "looking for "+in.SKU)
	p, err := f.get(in.SKU)
	if err != nil {
		return product{}, err // not meant for the model: it sees an id, the log the cause
	}
	if p == nil {
		return product{}, notFound.Becausef("there is no product %s", in.SKU).With("sku", in.SKU)
	}
	capability.Progress(ctx, "found "+p.Name)
	return *p, nil
}

type restockIn struct {
	SKU   string `json:"sku" min:"1" max:"20" jsonschema:"exact article number"`
	Count int    `json:"count" min:"1" max:"1000" jsonschema:"pieces"`
}

type restocked struct {
	SKU   string `json:"sku"`
	Stock int    `json:"stock" jsonschema:"pieces on the shelf now"`
}

// restock orders more of a product. It changes something, so that each call
// needs an agreement; the preview says to what.
type restock struct{ *shop }

func (restock) Name() string            { return "product_restock" }
func (restock) Title() string           { return "Order more of a product" }
func (restock) Description() string     { return "Orders more of a product." }
func (restock) Class() capability.Class { return capability.ReadWrite }

func (restock) Preview(_ context.Context, in restockIn) (capability.Preview, error) {
	return capability.Preview{Question: "Order more?", Summary: fmt.Sprintf("order %d of %s", in.Count, in.SKU)}, nil
}

func (r restock) Handle(_ context.Context, in restockIn) (restocked, error) {
	p, err := r.get(in.SKU)
	switch {
	case err != nil:
		return restocked{}, err
	case p == nil:
		return restocked{}, notFound.Becausef("there is no product %s", in.SKU)
	}
	return restocked{SKU: in.SKU, Stock: r.add(in.SKU, in.Count)}, nil
}

// A shop is the application's own store.
type shop struct {
	mu       sync.Mutex
	products map[string]*product
}

func shelves() *shop {
	return &shop{products: map[string]*product{"A-100": {SKU: "A-100", Name: "Lamp", Cents: 2499, Stock: 3}}}
}

// get returns a copy of a product, nil for none. One row of this shop is
// broken, with an error that nobody outside should read.
func (s *shop) get(sku string) (*product, error) {
	if sku == "B-200" {
		return nil, fmt.Errorf("reading %s: dial tcp 10.1.2.3:5432: password of user shop refused", sku)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.products[sku]
	if !ok {
		return nil, nil
	}
	found := *p
	return &found, nil
}

func (s *shop) add(sku string, count int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.products[sku].Stock += count
	return s.products[sku].Stock
}
