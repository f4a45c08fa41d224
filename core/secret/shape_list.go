package secret

// shapes are the keys and tokens that issuers mark by how they begin. The
// lengths are those that the issuers give or have been seen to give, with some
// room; a prefix alone is never enough.
var shapes = []shape{
	// models
	ownWord("sk-", wordy), // OpenAI, Anthropic, OpenRouter, DeepSeek, Langfuse and many more
	alnum("gsk_", 40, 80), alnum("xai-", 60, 120), alnum("hf_", 30, 60), alnum("pplx-", 40, 80), alnum("r8_", 36, 44), key("tvly-", 20, 80),
	key("lsv2_pt_", 30, 80), key("lsv2_sk_", 30, 80), key("pcsk_", 40, 100), alnum("fw_", 22, 40), alnum("sk_", 46, 60), // the last ElevenLabs
	// code and packages
	alnum("ghp_", 30, 100), alnum("gho_", 30, 100), alnum("ghu_", 30, 100), key("ghs_", 30, 400), alnum("ghr_", 30, 100), key("github_pat_", 30, 200),
	dotted("glpat-", 20, 100), dotted("gldt-", 20, 100), dotted("glrt-", 20, 100), dotted("glcbt-", 20, 100), key("glptt-", 20, 100), key("glft-", 20, 100),
	key("glsoat-", 20, 100), key("glagent-", 40, 100), key("glimt-", 20, 100), key("GR1348941", 20, 60),
	alnum("npm_", 36, 36), key("pypi-", 50, 300), alnum("rubygems_", 48, 48), key("dckr_pat_", 20, 60), key("dckr_oat_", 20, 60), alnum("cio", 32, 32), alnum("oy2", 43, 43),
	key("CCIPAT_", 40, 120), alnum("bkua_", 38, 60), dotted("ATATT3", 60, 400), dotted("ATCTT3", 60, 400), key("sntrys_", 60, 400), key("sntryu_", 60, 100),
	key("PMAK-", 50, 80), alnum("pul-", 40, 40), key("figd_", 38, 80), alnum("lin_api_", 38, 60), alnum("ntn_", 40, 60),
	// clouds
	capitals("AKIA", 16), capitals("ASIA", 16), capitals("ABIA", 16), capitals("ACCA", 16), alnum("LTAI", 14, 26),
	key("AIza", 35, 35), dotted("ya29.", 20, 2000), key("GOCSPX-", 24, 40),
	ownWord("1//0", refresh),
	alnum("dop_v1_", 60, 80), alnum("doo_v1_", 60, 80), alnum("dor_v1_", 60, 80), alnum("dapi", 32, 32), dotted("hvs.", 24, 200), dotted("hvb.", 60, 400),
	dotted("dp.pt.", 38, 60), dotted("dp.st.", 38, 80), key("tskey-", 20, 100), alnum("nfp_", 36, 60), alnum("rnd_", 28, 40), key("fm2_", 80, 2000),
	key("HRKU-", 36, 80), key("pscale_tkn_", 32, 64), key("pscale_pw_", 32, 64), alnum("sbp_", 40, 48), key("glsa_", 38, 60), key("glc_", 60, 400), key("NRAK-", 26, 30),
	key("ops_eyJ", 100, 2000),
	inWords(".atlasv1.", atlas),
	// money, mail and chats
	key("sk_live_", 16, 200), key("sk_test_", 16, 200), key("rk_live_", 16, 200), key("rk_test_", 16, 200), key("whsec_", 24, 80),
	alnum("shpat_", 32, 32), alnum("shpss_", 32, 32), alnum("shpca_", 32, 32), alnum("shppa_", 32, 32), key("sq0atp-", 22, 22), key("sq0csp-", 43, 43),
	dotted("SG.", 40, 100), hexed("key-", 32), hexed("SK", 32), // the last two Mailgun and Twilio
	key("xoxb-", 16, 300), key("xoxp-", 16, 300), key("xoxa-", 16, 300), key("xoxr-", 16, 300), key("xoxs-", 16, 300), key("xoxe-", 16, 300), dotted("xoxe.", 16, 300), key("xapp-", 16, 300),
	behind("hooks.slack.com/services/", 30, isPath), behind("/api/webhooks/", 60, isPath),
	inWords(":AA", telegram),
	// what holds for everyone
	ownWord("eyJ", jwt),
	behind("Bearer ", 16, isCredential), behind("bearer ", 16, isCredential), behind("Basic ", 16, isCredential), behind("basic ", 16, isCredential),
	behind("X-Api-Key: ", 16, isCredential), behind("X-API-Key: ", 16, isCredential), behind("x-api-key: ", 16, isCredential), behind("api-key: ", 16, isCredential),
	behind("AccountKey=", 40, isCredential), behind("SharedAccessKey=", 30, isCredential),
	setting("aws_secret_access_key"), setting("AWS_SECRET_ACCESS_KEY"), setting("SecretAccessKey"),
	inWords(";Password=", connection),
	inWords(";password=", connection),
	inWords(";Pwd=", connection),
	inWords(";pwd=", connection),
	capitals("AGE-SECRET-KEY-1", 58),
	inWords("-----BEGIN ", privateKey),
	inWords("://", password),
}
