package offline

import "time"

// An Example is something to say and the call that it becomes. Examples are as
// of [ExampleTime].
type Example struct {
	Group string // what it belongs to, for people
	Say   string
	Call  string   // the tool
	Args  string   // its arguments, as JSON with sorted keys
	Then  []string // further calls, as "tool {arguments}": side by side or afterwards
	Other bool     // another way to say something, left out of the short list
}

// ExampleTime is the moment at which the examples with a date were said: a
// Monday morning.
var ExampleTime = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)

// groups are the groups in the order they are shown in.
var groups = []string{"Look", "Find", "Change", "Git", "Commands", "Web", "Remember", "Later", "Tools"}

// Examples is the table of what the grammar understands. It is also its test.
func Examples() []Example { return examples }

const (
	other  = true
	status = `{"args":["--porcelain","--branch"],"command":"status"}`
	stat   = `git_read {"args":["--stat"],"command":"diff"}`
	addAll = `{"args":["--all"],"command":"add"}`
)

var examples = []Example{
	{"Look", `read notes.txt`, "file_read", `{"path":"notes.txt"}`, nil, false},
	{"Look", `read lines 10-20 of main.go`, "file_read", `{"limit":11,"offset":10,"path":"main.go"}`, nil, false},
	{"Look", `what is in the folder docs?`, "list_dir", `{"path":"docs"}`, nil, false},
	{"Look", `ls`, "list_dir", `{"path":"."}`, nil, false},
	{"Look", `Please read the file "my notes.txt".`, "file_read", `{"path":"my notes.txt"}`, nil, other},
	{"Look", `can you show me ~/Documents/plan.md?`, "file_read", `{"path":"~/Documents/plan.md"}`, nil, other},
	{"Look", `open ‘../README’`, "file_read", `{"path":"../README"}`, nil, other},
	{"Look", `cat Makefile`, "file_read", `{"path":"Makefile"}`, nil, other},
	{"Look", "display `core/agent/agent.go`", "file_read", `{"path":"core/agent/agent.go"}`, nil, other},
	{"Look", `READ LINE 5 OF a.txt`, "file_read", `{"limit":1,"offset":5,"path":"a.txt"}`, nil, other},
	{"Look", `read lines 3 to 7 of a.txt`, "file_read", `{"limit":5,"offset":3,"path":"a.txt"}`, nil, other},
	{"Look", `show me the first 20 lines of build.log`, "file_read", `{"limit":20,"path":"build.log"}`, nil, other},
	{"Look", `what's in todo.md?`, "file_read", `{"path":"todo.md"}`, nil, other},
	{"Look", `what does “config.toml” say?`, "file_read", `{"path":"config.toml"}`, nil, other},
	{"Look", `lies notes.txt`, "file_read", `{"path":"notes.txt"}`, nil, other},
	{"Look", `list the files in core`, "list_dir", `{"path":"core"}`, nil, other},
	{"Look", `list files`, "list_dir", `{"path":"."}`, nil, other},
	{"Look", `show me the folder src`, "list_dir", `{"path":"src"}`, nil, other},
	{"Look", `ls ..`, "list_dir", `{"path":".."}`, nil, other},
	{"Look", `what is in core/tools?`, "list_dir", `{"path":"core/tools"}`, nil, other},
	{"Look", `what files are here?`, "list_dir", `{"path":"."}`, nil, other},
	{"Look", `zeige den Ordner docs`, "list_dir", `{"path":"docs"}`, nil, other},

	{"Find", `find TODO in core`, "content_search", `{"path":"core","pattern":"TODO"}`, nil, false},
	{"Find", `find files named *.go`, "glob_search", `{"pattern":"**/*.go"}`, nil, false},
	{"Find", `which files mention "license"?`, "content_search", `{"output":"files","pattern":"license"}`, nil, false},
	{"Find", `search for "two words" in docs`, "content_search", `{"path":"docs","pattern":"two words"}`, nil, other},
	{"Find", `find two words in docs`, "content_search", `{"path":"docs","pattern":"two words"}`, nil, other},
	{"Find", `search "a.b(c)" in src`, "content_search", `{"path":"src","pattern":"a.b(c)","regex":false}`, nil, other},
	{"Find", `look for /func \w+Test/ in core`, "content_search", `{"path":"core","pattern":"func \\w+Test"}`, nil, other},
	{"Find", `grep -rn "func.*Error" core`, "content_search", `{"path":"core","pattern":"func.*Error"}`, nil, other},
	{"Find", `grep -i todo`, "content_search", `{"case":"insensitive","pattern":"todo"}`, nil, other},
	{"Find", `grep f(x core`, "content_search", `{"path":"core","pattern":"f(x","regex":false}`, nil, other},
	{"Find", `grep TODO in core`, "content_search", `{"path":"core","pattern":"TODO"}`, nil, other},
	{"Find", `Could you please search in the folder core for TODO?`, "content_search", `{"path":"core","pattern":"TODO"}`, nil, other},
	{"Find", `find TODO`, "content_search", `{"pattern":"TODO"}`, nil, other},
	{"Find", `find TODO everywhere`, "content_search", `{"pattern":"TODO everywhere"}`, nil, other},
	{"Find", `find TODO in this folder`, "content_search", `{"pattern":"TODO"}`, nil, other},
	{"Find", `find TODO in the current directory`, "content_search", `{"pattern":"TODO"}`, nil, other},
	{"Find", `find all occurrences of TODO in the whole project`, "content_search", `{"pattern":"TODO"}`, nil, other},
	{"Find", `where is NewRegistry used?`, "content_search", `{"pattern":"NewRegistry"}`, nil, other},
	{"Find", `how often does TODO occur in core`, "content_search", `{"output":"count","path":"core","pattern":"TODO"}`, nil, other},
	{"Find", `suche TODO in core`, "content_search", `{"path":"core","pattern":"TODO"}`, nil, other},
	{"Find", `find all go files in core`, "glob_search", `{"path":"core","pattern":"**/*.go"}`, nil, other},
	{"Find", `find *.md`, "glob_search", `{"pattern":"**/*.md"}`, nil, other},
	{"Find", `find src/**/*_test.go`, "glob_search", `{"pattern":"src/**/*_test.go"}`, nil, other},
	{"Find", `where is the file main.go?`, "glob_search", `{"pattern":"**/main.go"}`, nil, other},
	{"Find", `list all pdf files in ~/Documents`, "glob_search", `{"path":"~/Documents","pattern":"**/*.pdf"}`, nil, other},

	{"Change", `replace "foo" with "bar" in notes.txt`, "file_edit", `{"new_string":"bar","old_string":"foo","path":"notes.txt"}`, nil, false},
	{"Change", `replace every "foo" with "bar" in notes.txt`, "file_edit", `{"new_string":"bar","old_string":"foo","path":"notes.txt","replace_all":true}`, nil, false},
	{"Change", `write file hello.txt with "Hello, world!"`, "file_write", `{"content":"Hello, world!\n","path":"hello.txt"}`, nil, false},
	{"Change", `undo`, "file_undo", `{}`, nil, false},
	{"Change", `please replace “foo” by “bar” in ./notes.txt.`, "file_edit", `{"new_string":"bar","old_string":"foo","path":"./notes.txt"}`, nil, other},
	{"Change", `change foo to bar in notes.txt`, "file_edit", `{"new_string":"bar","old_string":"foo","path":"notes.txt"}`, nil, other},
	{"Change", `in notes.txt replace "foo" with "bar"`, "file_edit", `{"new_string":"bar","old_string":"foo","path":"notes.txt"}`, nil, other},
	{"Change", `replace "a with b" with "c in d" in "my file.txt"`, "file_edit", `{"new_string":"c in d","old_string":"a with b","path":"my file.txt"}`, nil, other},
	{"Change", `replace "foo" with "" in notes.txt`, "file_edit", `{"new_string":"","old_string":"foo","path":"notes.txt"}`, nil, other},
	{"Change", `remove "foo " from notes.txt`, "file_edit", `{"new_string":"","old_string":"foo ","path":"notes.txt"}`, nil, other},
	{"Change", `ersetze "a" durch "b" in f.txt`, "file_edit", `{"new_string":"b","old_string":"a","path":"f.txt"}`, nil, other},
	{"Change", `create a file named todo.md with "- milk"`, "file_write", `{"content":"- milk\n","path":"todo.md"}`, nil, other},
	{"Change", `create an empty file x.txt`, "file_write", `{"content":"","path":"x.txt"}`, nil, other},
	{"Change", `save "some text" to out/result.txt`, "file_write", `{"content":"some text\n","path":"out/result.txt"}`, nil, other},
	{"Change", "write main.go with ```go\npackage main\n```", "file_write", `{"content":"package main\n","path":"main.go"}`, nil, other},
	{"Change", `undo notes.txt`, "file_undo", `{"path":"notes.txt"}`, nil, other},
	{"Change", `undo the last change to notes.txt`, "file_undo", `{"path":"notes.txt"}`, nil, other},
	{"Change", `undo change c-12`, "file_undo", `{"id":"c-12"}`, nil, other},
	{"Change", `take that back`, "file_undo", `{}`, nil, other},
	{"Change", `mach das rückgängig`, "file_undo", `{}`, nil, other},

	{"Git", `what changed in git?`, "git_read", status, []string{stat}, false},
	{"Git", `show me the diff`, "git_read", `{"command":"diff"}`, nil, false},
	{"Git", `show the last 5 commits`, "git_read", `{"args":["--oneline","-n","5"],"command":"log"}`, nil, false},
	{"Git", `commit everything with message "Fix the parser"`, "git_write", addAll, []string{`git_write {"args":["-m","Fix the parser"],"command":"commit"}`}, false},
	{"Git", `What has changed?`, "git_read", status, []string{stat}, other},
	{"Git", `git status`, "git_read", status, []string{stat}, other},
	{"Git", `show my changes`, "git_read", status, []string{stat}, other},
	{"Git", `was hat sich in git geändert?`, "git_read", status, []string{stat}, other},
	{"Git", `show the diff of main.go`, "git_read", `{"args":["--","main.go"],"command":"diff"}`, nil, other},
	{"Git", `git diff --staged`, "git_read", `{"args":["--staged"],"command":"diff"}`, nil, other},
	{"Git", `git log`, "git_read", `{"args":["--oneline","-n","10"],"command":"log"}`, nil, other},
	{"Git", `list the branches`, "git_read", `{"args":["--all"],"command":"branch"}`, nil, other},
	{"Git", `which branch am I on?`, "git_read", `{"args":["--porcelain","--branch"],"command":"status"}`, nil, other},
	{"Git", `who changed main.go?`, "git_read", `{"args":["--","main.go"],"command":"blame"}`, nil, other},
	{"Git", `git show HEAD~1`, "git_read", `{"args":["HEAD~1"],"command":"show"}`, nil, other},
	{"Git", `git commit -m "fix it"`, "git_write", `{"args":["-m","fix it"],"command":"commit"}`, nil, other},
	{"Git", `commit all changes with the message fix the build`, "git_write", addAll, []string{`git_write {"args":["-m","fix the build"],"command":"commit"}`}, other},
	{"Git", `stage everything`, "git_write", addAll, nil, other},
	{"Git", `create a branch named try-it`, "git_write", `{"args":["-c","try-it"],"command":"switch"}`, nil, other},
	{"Git", `switch to branch main`, "git_write", `{"args":["main"],"command":"switch"}`, nil, other},

	{"Commands", `run go version`, "shell", `{"command":"go version"}`, nil, false},
	{"Commands", `run make serve in the background`, "shell", `{"background":true,"command":"make serve"}`, nil, false},
	{"Commands", `$ echo "a  b" | wc -c`, "shell", `{"command":"echo \"a  b\" | wc -c"}`, nil, other},
	{"Commands", "execute `ls -l ..`", "shell", `{"command":"ls -l .."}`, nil, other},
	{"Commands", `run the command make test`, "shell", `{"command":"make test"}`, nil, other},
	{"Commands", `stop command bg-1`, "shell_kill", `{"id":"bg-1"}`, nil, other},

	{"Commands", `output of command bg-1`, "shell_output", `{"id":"bg-1"}`, nil, other},

	{"Web", `open example.org`, "web_fetch", `{"url":"https://example.org"}`, nil, false},
	{"Web", `search the web for go generics`, "web_search", `{"query":"go generics"}`, nil, false},
	{"Web", `fetch https://example.org/a?b=c`, "web_fetch", `{"url":"https://example.org/a?b=c"}`, nil, other},
	{"Web", `summarise https://example.org/news`, "web_fetch", `{"prompt":"Summarise this page.","url":"https://example.org/news"}`, nil, other},
	{"Web", `look up "capital of France" online`, "web_search", `{"query":"capital of France"}`, nil, other},
	{"Web", `google weather in Berlin`, "web_search", `{"query":"weather in Berlin"}`, nil, other},

	{"Remember", `remember that my dentist is Dr. Kim`, "memory_store", `{"key":"dentist","value":"my dentist is Dr. Kim"}`, nil, false},
	{"Remember", `what do you remember about my dentist?`, "memory_recall", `{"search":"my dentist"}`, nil, false},
	{"Remember", `forget my dentist`, "memory_forget", `{"key":"dentist"}`, nil, false},
	{"Remember", `what do you know about my dentist?`, "memory_recall", `{"search":"my dentist"}`, nil, other},
	{"Remember", `what do you remember?`, "memory_recall", `{}`, nil, other},
	{"Remember", `forget about the door code`, "memory_forget", `{"key":"door-code"}`, nil, other},
	{"Remember", `vergiss meine Adresse`, "memory_forget", `{"key":"adresse"}`, nil, other},
	{"Remember", `note: the door code is 1234`, "memory_store", `{"key":"door-code","value":"the door code is 1234"}`, nil, other},

	{"Later", `every weekday at 9 remind me to stretch`, "schedule_job", `{"name":"stretch","reminder":true,"schedule":"0 9 * * 1-5","task":"stretch"}`, nil, false},
	{"Later", `remind me tomorrow at 8 to call Ada`, "schedule_job", `{"name":"call-ada","reminder":true,"schedule":"2026-03-03T08:00:00Z","task":"call Ada"}`, nil, false},
	{"Later", `notify me "tea is ready"`, "notify", `{"title":"Tea is ready"}`, nil, false},
	{"Later", `make a to-do list: read the spec, write the code, test it`, "todo_write", `{"items":["read the spec","write the code","test it"]}`, nil, false},
	{"Later", `remind me to water the plants tomorrow at 18:30`, "schedule_job", `{"name":"water-plants","reminder":true,"schedule":"2026-03-03T18:30:00Z","task":"water the plants"}`, nil, other},
	{"Later", `remind me in 20 minutes to check the oven`, "schedule_job", `{"name":"check-oven","reminder":true,"schedule":"2026-03-02T10:20:00Z","task":"check the oven"}`, nil, other},
	{"Later", `remind me to stand up every 30 minutes`, "schedule_job", `{"name":"stand-up","reminder":true,"schedule":"every 30 minutes","task":"stand up"}`, nil, other},
	{"Later", `every monday and friday at 6pm remind me to back up`, "schedule_job", `{"name":"back-up","reminder":true,"schedule":"0 18 * * 1,5","task":"back up"}`, nil, other},
	{"Later", `every other friday at 11:30 remind me to send the invoice`, "schedule_job", `{"name":"send-invoice","reminder":true,"schedule":"FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=11;BYMINUTE=30","task":"send the invoice"}`, nil, other},
	{"Later", `remind me to water the fern every 3 days at 8`, "schedule_job", `{"name":"water-fern","reminder":true,"schedule":"FREQ=DAILY;INTERVAL=3;BYHOUR=8;BYMINUTE=0","task":"water the fern"}`, nil, other},
	{"Later", `on friday at noon remind me to order lunch`, "schedule_job", `{"name":"order-lunch","reminder":true,"schedule":"2026-03-06T12:00:00Z","task":"order lunch"}`, nil, other},
	{"Later", `every day at 7:15 summarise the news`, "schedule_job", `{"name":"summarise-news","schedule":"15 7 * * *","task":"summarise the news"}`, nil, other},
	{"Later", `list my reminders`, "list_jobs", `{}`, nil, other},
	{"Later", "plan:\n- read the spec\n- write the code", "todo_write", `{"items":["read the spec","write the code"]}`, nil, other},

	{"Tools", `help with the tool file_edit`, "tool_help", `{"name":"file_edit"}`, nil, false},
	{"Tools", `ask for access to ~/Music`, "request_directory_access", `{"path":"~/Music","reason":"You asked for it."}`, nil, false},
	{"Tools", `/tool file_read path=notes.txt limit=5`, "file_read", `{"limit":5,"path":"notes.txt"}`, nil, false},
	{"Tools", `/tool content_search pattern="a b" regex=false include=*.go`, "content_search", `{"include":"*.go","pattern":"a b","regex":false}`, nil, other},
	{"Tools", `/file_read notes.txt`, "file_read", `{"path":"notes.txt"}`, nil, other},
	{"Tools", `/tool git_read command=log args=["-n","3"]`, "git_read", `{"args":["-n","3"],"command":"log"}`, nil, other},
	{"Tools", `how do I use shell?`, "tool_help", `{"name":"shell"}`, nil, other},
}
