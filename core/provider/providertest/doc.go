// Package providertest holds what tests of models and of their users need: a
// [Script] that plays a model, a [Replay] of recorded traffic of the real
// interfaces, and the contract that every implementation passes, [Suite].
package providertest
