package valid_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/provider/providertest"
	"github.com/hobkin/hobkin/core/provider/providertest/valid"
	"github.com/hobkin/hobkin/test/suite"
)

// TestRecorded holds the rules to the recorded traffic of the real interfaces:
// each request that was answered must be let through.
func TestRecorded(t *testing.T) {
	requests := 0
	for _, c := range providertest.Cassettes(t, suite.Path(t, "cassettes")) {
		for i, in := range c.Interactions {
			if in.Response.Code >= 300 {
				continue
			}
			at, err := url.Parse(in.Request.URL)
			if err != nil {
				t.Fatal(err)
			}
			if err := valid.Request(at.Path, []byte(in.Request.Body)); err != nil {
				t.Errorf("%s, request %d: %v", c.Name, i, err)
			}
			requests++
		}
	}
	if requests < 60 {
		t.Errorf("only %d requests were looked at", requests)
	}
	t.Logf("%d recorded requests are valid", requests)
}

// TestRefused: each is a request that its interface answers with an error.
func TestRefused(t *testing.T) {
	const (
		chat, responses, anthropic, gemini = "/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1beta/models/m:streamGenerateContent"

		u = `{"role":"user","content":"hi"}`
	)
	chatted := func(messages string) string { return `{"model":"m","messages":[` + messages + `]}` }
	said := func(messages string) string { return `{"model":"m","max_tokens":9,"messages":[` + messages + `]}` }
	items := func(input string) string { return `{"model":"m","input":[` + input + `]}` }
	contents := func(c string) string { return `{"contents":[` + c + `]}` }
	const (
		call    = `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		use     = `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}`
		fcall   = `{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}`
		fout    = `{"type":"function_call_output","call_id":"1","output":"x"}`
		gu      = `{"role":"user","parts":[{"text":"hi"}]}`
		gcall   = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}`
		gresult = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`
	)
	for name, tt := range map[string]struct{ path, body, want string }{
		"no json":                      {chat, `{`, "no JSON object"},
		"another path":                 {"/v1/else", `{}`, "no interface"},
		"broken utf-8":                 {chat, "{\"model\":\"\xff\"}", "UTF-8"},
		"chat: unknown field":          {chat, `{"model":"m","cache":1,"messages":[` + u + `]}`, "unknown field"},
		"chat: no messages":            {chat, chatted(""), "no messages"},
		"chat: no such role":           {chat, chatted(`{"role":"person","content":"x"}`), "no role"},
		"chat: empty user":             {chat, chatted(`{"role":"user","content":" "}`), "empty message"},
		"chat: empty assistant":        {chat, chatted(u + `,{"role":"assistant"},` + u), "nothing in it"},
		"chat: no result":              {chat, chatted(u + `,` + call + `,` + u), "not followed by their results"},
		"chat: no result at the end":   {chat, chatted(u + `,` + call), "have no results"},
		"chat: result without a call":  {chat, chatted(u + `,{"role":"tool","tool_call_id":"1","content":"x"}`), "not called just before"},
		"chat: two results":            {chat, chatted(u + `,` + call + `,{"role":"tool","tool_call_id":"1","content":"x"},{"role":"tool","tool_call_id":"1","content":"x"}`), "not called just before"},
		"chat: bad name":               {chat, chatted(u + `,` + strings.Replace(call, `"f"`, `"f g"`, 1)), "cannot be called"},
		"chat: broken arguments":       {chat, chatted(u + `,` + strings.Replace(call, `"{}"`, `"{"`, 1)), "no JSON object"},
		"chat: bad picture":            {chat, chatted(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/bmp;base64,AAAA"}}]}`), "not taken"},
		"chat: last is the assistant":  {chat, chatted(u + `,{"role":"assistant","content":"x"}`), "the last message"},
		"chat: two tools of a name":    {chat, `{"model":"m","messages":[` + u + `],"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"f"}}]}`, "two tools"},
		"responses: no input":          {responses, items(""), "no input"},
		"responses: no output":         {responses, items(u + `,` + fcall), "no output"},
		"responses: output first":      {responses, items(u + `,` + fout + `,` + fcall), "was not called"},
		"responses: two outputs":       {responses, items(u + `,` + fcall + `,` + fout + `,` + fout), "has one"},
		"responses: two calls":         {responses, items(u + `,` + fcall + `,` + fout + `,` + fcall), "is taken"},
		"responses: wrong text":        {responses, items(`{"role":"user","content":[{"type":"output_text","text":"x"}]}`), "no piece"},
		"responses: lonely reasoning":  {responses, items(u + `,{"type":"reasoning","summary":[]}`), "reasoning without"},
		"responses: reasoning, user":   {responses, items(u + `,{"type":"reasoning","summary":[]},` + u), "reasoning without"},
		"responses: no summary":        {responses, items(u + `,{"type":"reasoning"}`), "without a summary"},
		"responses: long id":           {responses, items(u + `,` + strings.Replace(fcall, `"1"`, `"`+strings.Repeat("x", 65)+`"`, 1)), "too long"},
		"anthropic: no max_tokens":     {anthropic, chatted(u), "max_tokens"},
		"anthropic: first":             {anthropic, said(`{"role":"assistant","content":"x"},` + u), "first message"},
		"anthropic: last":              {anthropic, said(u + `,{"role":"assistant","content":"x"}`), "it ends with"},
		"anthropic: no result":         {anthropic, said(u + `,` + use + `,` + u), "instead of results"},
		"anthropic: result late":       {anthropic, said(u + `,` + use + `,{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"1","content":"x"}]}`), "out of place"},
		"anthropic: result of none":    {anthropic, said(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}`), "out of place"},
		"anthropic: empty text":        {anthropic, said(`{"role":"user","content":[{"type":"text","text":" "}]}`), "empty text"},
		"anthropic: no content":        {anthropic, said(`{"role":"user","content":[]}`), "without content"},
		"anthropic: unsigned":          {anthropic, said(u + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"x"}]},` + u), "without a signature"},
		"anthropic: thinking last":     {anthropic, said(u + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"}]},` + u), "last block is thinking"},
		"anthropic: bad id":            {anthropic, said(u + `,` + strings.Replace(use, `"1"`, `"a.b"`, 1)), "is none or taken"},
		"anthropic: input is a list":   {anthropic, said(u + `,` + strings.Replace(use, `{}`, `[]`, 1)), "without an object"},
		"anthropic: five marks":        {anthropic, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},`, 5), ",") + `]}]}`, "5 marks"},
		"anthropic: thinks too little": {anthropic, `{"model":"m","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1000},"messages":[` + u + `]}`, "a budget"},
		"gemini: no contents":          {gemini, contents(""), "no contents"},
		"gemini: two users":            {gemini, contents(gu + `,` + gu), "in a row"},
		"gemini: first":                {gemini, contents(gcall), "first content"},
		"gemini: no response":          {gemini, contents(gu + `,` + gcall + `,` + gu), "no response"},
		"gemini: response of another":  {gemini, contents(gu + `,` + strings.Replace(gcall, `"f"`, `"g"`, 1) + `,` + gresult), "are due"},
		"gemini: response of none":     {gemini, contents(gresult), "are due"},
		"gemini: empty text":           {gemini, contents(`{"role":"user","parts":[{"text":""}]}`), "empty text"},
		"gemini: no parts":             {gemini, contents(`{"role":"user","parts":[]}`), "without parts"},
		"gemini: last":                 {gemini, contents(gu + `,{"role":"model","parts":[{"text":"x"}]}`), "it ends with"},
	} {
		err := valid.Request(tt.path, []byte(tt.body))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}
