/* Running gnuplot (see gnuplot.h). */
#include "report/gnuplot.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_NS (60 * NS_PER_S)
#define LABEL_MOST 120 /* characters: longer ones run out of any picture */

void gnuplot_init(struct gnuplot *gnuplot)
{
	*gnuplot = (struct gnuplot){ .script = STRBUF_INIT };
	strbuf_add_text(&gnuplot->script,
		"set encoding utf8\n"
		"set linetype 1 lc rgb '#1f6fb4'\nset linetype 2 lc rgb '#d1690e'\n"
		"set linetype 3 lc rgb '#2a8a4a'\nset linetype 4 lc rgb '#b03060'\n"
		"set linetype 5 lc rgb '#7a5cc0'\nset linetype 6 lc rgb '#8a7a1a'\n"
		"set linetype 7 lc rgb '#1a8a8a'\nset linetype 8 lc rgb '#707070'\n"
		"set linetype cycle 8\n");
}

void gnuplot_release(struct gnuplot *gnuplot)
{
	for (size_t i = 0; i < gnuplot->count; i++)
		free(gnuplot->svgs[i]);
	strbuf_release(&gnuplot->script);
	*gnuplot = (struct gnuplot){ .script = STRBUF_INIT };
}

size_t gnuplot_begin(struct gnuplot *gnuplot, int height)
{
	if (gnuplot->count == GNUPLOT_PICTURES_MOST)
		return gnuplot->count;
	strbuf_add_format(&gnuplot->script,
		"set output\nreset\nset terminal svg size %d,%d dynamic noenhanced name 'chart%zu' "
		"font 'sans-serif,13' linewidth 1\nset output '%zu.svg'\n"
		"set border 3 lc rgb '#808080'\nset tics nomirror\nset grid lc rgb '#d8d8d8'\n",
		GNUPLOT_WIDTH, height, gnuplot->count, gnuplot->count);
	return gnuplot->count++;
}

void gnuplot_quote(struct strbuf *script, const char *words, bool for_tic)
{
	size_t count = 0;

	strbuf_add_char(script, '"');
	for (; *words && count < LABEL_MOST; words++) {
		unsigned char c = (unsigned char)*words;

		count += (c & 0xc0) != 0x80;
		if (c < ' ' || c == 127)
			strbuf_add_char(script, ' ');
		else if (c == '"' || c == '\\')
			strbuf_add_format(script, "\\%c", c);
		else if (c == '%' && for_tic)
			strbuf_add_text(script, "%%");
		else
			strbuf_add_char(script, (char)c);
	}
	strbuf_add_char(script, '"');
}

/* The picture without what only stands alone: XML head and document type. */
static char *read_svg(const char *folder, size_t number)
{
	struct strbuf text = STRBUF_INIT;
	char *path = memory_format("%s/%zu.svg", folder, number);
	char *svg = NULL;

	if (file_read(path, &text, NULL) == 0) {
		const char *start = strstr(text.data, "<svg");

		/* A picture that broke off has no end. */
		if (start && strstr(start, "</svg>"))
			svg = memory_copy_string(start);
	}
	strbuf_release(&text);
	free(path);
	return svg;
}

static int draw_in(struct gnuplot *gnuplot, const char *folder, struct err *err)
{
	char *script = memory_format("%s/script", folder);
	const char *const arguments[] = { "gnuplot", "script", NULL };
	const char *const environment[] = { "LC_ALL=C.UTF-8", "GNUTERM=svg", "HOME=/nonexistent",
		NULL };
	const struct subprocess_options options = {
		.arguments = arguments,
		.directory = folder,
		.environment = environment,
		.die_with_parent = true,
	};
	int r = file_write_atomic(script, gnuplot->script.data, gnuplot->script.length, 0600, err);

	if (r == 0)
		r = subprocess_run(&options, TIMEOUT_NS, NULL, NULL, err);
	for (size_t i = 0; r == 0 && i < gnuplot->count; i++)
		gnuplot->svgs[i] = read_svg(folder, i);
	free(script);
	return r;
}

int gnuplot_run(struct gnuplot *gnuplot, struct err *err)
{
	const char *parent = getenv("TMPDIR");
	char *program = subprocess_find("gnuplot");
	char *folder;
	int r;

	if (!program)
		return err_set(err, -ENOENT, "charts need gnuplot (Debian: package gnuplot-nox)");
	free(program);
	folder = memory_format("%s/plumb-charts.XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(folder)) {
		r = err_set_errno(err, -errno, "cannot make a folder for charts '%s'", folder);
		free(folder);
		return r;
	}
	strbuf_add_text(&gnuplot->script, "set output\n");
	r = draw_in(gnuplot, folder, err);
	int removed = file_remove_tree(folder, err);

	free(folder);
	return r < 0 ? r : removed;
}
