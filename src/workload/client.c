/* Programs of a workload (see client.h). */
#include "workload/client.h"

#include "base/file.h"
#include "base/macros.h"
#include "base/memory.h"
#include "postgres/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TAIL_BYTES 1500

static void name_outputs(struct client *client, const char *name)
{
	free(client->output_path);
	free(client->error_path);
	client->output_path = memory_format("%s/%s.out", client->context->raw_folder, name);
	client->error_path = memory_format("%s/%s.err", client->context->raw_folder, name);
	unlink(client->output_path);
	unlink(client->error_path);
}

int client_start(
	struct client *client, const char *name, const char *const *arguments, struct err *err)
{
	const struct workload_context *context = client->context;
	struct subprocess_options options = {
		.arguments = arguments,
		.directory = context->raw_folder,
		.drop_user = context->drop_user,
		.user_id = context->user_id,
		.group_id = context->group_id,
		.cgroup_procs = context->cgroup_procs,
		.die_with_parent = true,
	};

	name_outputs(client, name);
	options.output_path = client->output_path;
	options.error_path = client->error_path;
	if (context->cluster)
		options.environment = pg_cluster_client_environment(context->cluster);
	client->started_ns = context->clock->now_ns(context->clock);
	return subprocess_start(&options, &client->process, err);
}

int client_poll(struct client *client, int64_t wait_ns, struct err *err)
{
	const char *name = client->process.name;
	struct strbuf tail = STRBUF_INIT;
	char text[64];
	int status;
	int r = subprocess_wait(&client->process, wait_ns, &status, &client->usage);

	if (r == -ETIMEDOUT)
		return 0;
	client->ended_ns = client->context->clock->now_ns(client->context->clock);
	if (r < 0)
		return err_set_errno(err, r, "cannot wait for '%s'", name);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 1;
	subprocess_describe_status(status, text, sizeof(text));
	file_read_tail(client->error_path, TAIL_BYTES, &tail);
	r = err_set(err, -ECHILD, "'%s' ended with %s: %s", name, text, tail.data);
	strbuf_release(&tail);
	return r;
}

double client_seconds(const struct client *client)
{
	return (double)(client->ended_ns - client->started_ns) / NS_PER_S;
}

void client_end(struct client *client)
{
	subprocess_end(&client->process, 2 * NS_PER_S);
}

void client_release(struct client *client)
{
	client_end(client);
	free(client->output_path);
	free(client->error_path);
	client->output_path = client->error_path = NULL;
}
