/* Source entries derived from the machine's own: both styles, foreign archives left out. */
#include "unit.h"

#include "base/macros.h"
#include "postgres/install_internal.h"

#include <string.h>

static const struct {
	const char *what;
	bool deb822;
	const char *text, *expected;
} cases[] = {
	{ "line", false, "deb http://a.example/d bookworm main\n",
		"deb-src http://a.example/d bookworm main\n" },
	{ "options kept", false,
		"deb [arch=amd64 signed-by=/k] http://a.example/d bookworm main x\n",
		"deb-src [arch=amd64 signed-by=/k] http://a.example/d bookworm main x\n" },
	{ "suites of the release", false,
		"deb u bookworm-updates main\ndeb u bookworm/updates main\ndeb u trixie main\n",
		"deb-src u bookworm-updates main\ndeb-src u bookworm/updates main\n" },
	{ "longer name is another release", false, "deb u bookwormish main\n", "" },
	{ "comments, sources, blanks", false,
		"# deb u bookworm main\n\n  deb\tu bookworm main\ndeb-src u bookworm main\ndeb\n",
		"deb-src\tu bookworm main\n" },
	{ "deb822", true,
		"Types: deb\nURIs: http://a.example/d\nSuites: bookworm bookworm-updates trixie\n"
		"Components: main\nSigned-By: /k\n",
		"Types: deb-src\nURIs: http://a.example/d\nSuites: bookworm bookworm-updates\n"
		"Components: main\nSigned-By: /k\n\n" },
	{ "deb822 paragraphs", true,
		"Types: deb\nURIs: u\nSuites: nodistro\n\n# note\nTypes: deb deb-src\nURIs: v\n"
		"Suites: bookworm\n",
		"Types: deb-src\nURIs: v\nSuites: bookworm\n\n" },
	{ "deb822 key block", true,
		"Types: deb\nSuites: bookworm\nSigned-By:\n -----BEGIN\n .\n x\n",
		"Types: deb-src\nSuites: bookworm\nSigned-By:\n -----BEGIN\n .\n x\n\n" },
	{ "deb822 disabled", true, "Types: deb\nSuites: bookworm\nEnabled: no\n", "" },
};

static void test_entries(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf entries = STRBUF_INIT;

		pg_source_entries(cases[i].text, cases[i].deb822, "bookworm", &entries);
		if (strcmp(entries.data, cases[i].expected) != 0)
			fail_msg("%s: got '%s', expected '%s'", cases[i].what, entries.data,
				cases[i].expected);
		strbuf_release(&entries);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_entries) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
