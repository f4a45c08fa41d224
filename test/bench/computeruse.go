package main

import (
	"context"
	"errors"
	"strings"
)

// computerUse measures the native helper on virtual displays, beside the
// programs that people use for the same.
func computerUse(ctx context.Context, _ string) (rows []row, err error) {
	const (
		pkg    = "./computeruse/native/x11"
		oneAct = 100 // ms: a pause must have taken hold by then
	)
	res, err := gotest(ctx, pkg, "^Benchmark(Screenshot|Input|Pause)$", "-benchtime", "15x", "-timeout", "20m")
	for _, bench := range sorted(res) {
		name, peer, has := strings.Cut(bench[strings.IndexByte(bench, '/')+1:], "_beside_")
		if !has {
			continue
		}
		r := row{name: "computer use: " + strings.ReplaceAll(name, "_", " "), unit: "ms", peer: peer, limit: noLimit}
		if strings.HasPrefix(bench, "Screenshot") {
			r.name = "computer use: screenshot as a model gets it, " + name
		}
		var oerr, perr error
		r.number, oerr = res.get(bench, "ms-ours")
		r.beside, perr = res.get(bench, "ms-peer")
		rows, err = append(rows, r), errors.Join(err, oerr, perr)
	}
	halt, herr := fill(res, []wanted{
		{row{name: "computer use: from pause to the halt of a drag, longest", unit: "ms", limit: oneAct}, "Pause", "ms-longest", 0},
	})
	return append(rows, halt...), errors.Join(err, herr)
}
