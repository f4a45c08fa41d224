// Package agent plays turns: it asks the model, runs the calls the model
// wants, and repeats until the model has nothing left to run.
//
// It knows models through core/provider and everything the agent can do
// through core/capability; it knows no single tool.
package agent
