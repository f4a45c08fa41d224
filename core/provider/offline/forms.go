package offline

import (
	"slices"
	"sync"
)

// forms is the grammar. The first form that fits is taken, so what is said
// more exactly comes first. It is made when it is first needed.
var forms = sync.OnceValue(func() []*form {
	return slices.Concat(
		metaForms(), webForms(), gitForms(), undoForms(), jobForms(), memoryForms(), forgetForms(), notifyForms(), accessForms(),
		changeForms(), writeForms(), listForms(), findForms(), readForms(), planForms(), shellForms(), searchForms(),
	)
})

// Grammar lists the forms, as the manual shows them: | stands between words
// that mean the same, [ ] may be left out, {x} is a word or a text in quotes,
// {x*} one word or more.
func Grammar() []string {
	var out []string
	for _, f := range forms() {
		out = append(out, f.say)
	}
	return out
}
