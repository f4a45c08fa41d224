package helper

// Started is the name of the event that tells of a helper that has just begun;
// its data is a wire.HelloResult.
const Started = "started"
