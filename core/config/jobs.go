package config

import "time"

// Jobs says how jobs and reminders run.
type Jobs struct {
	CronDays           string   `toml:"cron_days" enum:"vixie,and" comment:"What a cron line means that names both a day of the month and a day of the week: vixie is either of them, as cron programs do, and is both."`
	AtOnce             int      `toml:"at_once" min:"1" max:"16" comment:"Runs side by side."`
	Timeout            Duration `toml:"timeout" comment:"Time that a run may take when its job does not say."`
	IdleTimeout        Duration `toml:"idle_timeout" comment:"Time in which nothing happens in a run, after which it is ended."`
	PauseAfterFailures int      `toml:"pause_after_failures" min:"1" max:"100" comment:"Failures in a row, after which a job is paused."`
	KeepRuns           int      `toml:"keep_runs" min:"20" max:"100000" comment:"Runs of a job that are remembered."`
	KeepDays           int      `toml:"keep_days" min:"1" max:"3650" comment:"Days that runs and their transcripts are remembered; the newest 20 of a job stay longer."`
}

func defaultJobs() Jobs {
	return Jobs{CronDays: "vixie", AtOnce: 4, Timeout: Duration(time.Hour), IdleTimeout: Duration(10 * time.Minute), PauseAfterFailures: 5, KeepRuns: 500, KeepDays: 90}
}
