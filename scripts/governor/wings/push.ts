import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { nameMaker } from '../../../shared/core/accounts/keys/model.ts';
import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { given } from '../../../shared/platform/basics/given.ts';
import type { Context } from '../../../shared/platform/context/context.ts';
import { FORMATS } from '../../../shared/wings/exports/encode.ts';
import { BILLED, FOCUS_VERSIONS } from '../../../shared/wings/exports/focus/columns.ts';
import { destinationInput } from '../../../shared/wings/push/destinations/input.ts';
import {
  createDestination,
  deleteDestination,
  getDestination,
} from '../../../shared/wings/push/destinations/manage-destinations.ts';
import {
  DESTINATION_KINDS,
  DESTINATION_LEVELS,
  type Destination,
  destinationRows,
} from '../../../shared/wings/push/destinations/model.ts';
import { askForRun } from '../../../shared/wings/push/destinations/runs/ask-for-run.ts';
import { getRun, listRuns } from '../../../shared/wings/push/destinations/runs/list-runs.ts';
import {
  showDestination,
  showDestinations,
} from '../../../shared/wings/push/destinations/show-destinations.ts';
import { updateDestination } from '../../../shared/wings/push/destinations/update-destination.ts';
import { viewRun } from '../../../shared/wings/push/destinations/view.ts';
import { checkInput, parseDay, parseInteger } from '../basics/input.ts';
import type { Run } from '../basics/run.ts';

const POLL_MS = 500;

/** `destination`: the buckets and folders that get the files of each finished day. */
export function addDestinationCommands(program: Command, run: Run): void {
  const destination = program
    .command('destination')
    .description('Buckets and folders that get the files of each finished day');
  addChanges(destination, run);
  addReading(destination, run);
  addRuns(destination, run);
}

function addChanges(destination: Command, run: Run): void {
  destination
    .command('add <org_id>')
    .description('Add a destination; the secret of a bucket comes from --secret-file or from stdin')
    .requiredOption('--name <name>', 'shown to people')
    .addOption(new Option('--kind <kind>').choices(DESTINATION_KINDS).default('s3'))
    .option('--endpoint <origin>', 'of the server, such as https://s3.eu-central-1.amazonaws.com')
    .option('--region <region>', 'of the bucket')
    .option('--bucket <bucket>')
    .option('--virtual-host', 'the bucket is in the name of the host, not in the path')
    .requiredOption('--prefix <prefix>', 'everything is written below this')
    .option('--access-key-id <id>')
    .option('--secret-file <path>', 'file with the secret access key (default: stdin)')
    .requiredOption(
      '--level <level:format...>',
      `${DESTINATION_LEVELS.join(', ')}, each with ${FORMATS.join(', ')}: focus:parquet`,
    )
    .addOption(new Option('--focus-version <version>').choices(FOCUS_VERSIONS))
    .addOption(new Option('--billed <amount>', 'the meaning of BilledCost').choices(BILLED))
    .option('--hour <hour>', 'hour of the day, UTC, at which it is written (default: 3)', parseInteger)
    .option('--since <day>', 'first day (default: the first of this month)', parseDay)
    .option('--paused', 'add it paused')
    .action((orgId: string, options: AddOptions) =>
      run(async (ctx) => {
        await readOrganization(ctx, orgId);
        const { _id } = await createDestination(
          ctx,
          orgId,
          checkInput(destinationInput, await bodyOf(options)),
        );
        return showDestination(ctx, orgId, _id);
      }),
    );
  for (const [name, enabled] of [
    ['pause', false],
    ['resume', true],
  ] as const)
    destination
      .command(`${name} <destination_id>`)
      .description(enabled ? 'Write it again at its hour' : 'Write nothing until it is resumed')
      .action((id: string) =>
        run(async (ctx) => {
          const { org_id } = await find(ctx, id);
          await updateDestination(ctx, org_id, id, { enabled });
          return showDestination(ctx, org_id, id);
        }),
      );
  destination
    .command('remove <destination_id>')
    .description('Delete a destination; the files that it has stay')
    .action((id: string) =>
      run(async (ctx) => {
        const { org_id } = await find(ctx, id);
        await deleteDestination(ctx, org_id, id);
        return { destination_id: id, removed: true };
      }),
    );
}

function addReading(destination: Command, run: Run): void {
  destination
    .command('list <org_id>')
    .description('List the destinations, and how many days each one is behind')
    .action((orgId: string) =>
      run(async (ctx) => {
        await readOrganization(ctx, orgId);
        const destinations = await showDestinations(ctx, orgId);
        return { destinations: destinations.map(inShort) };
      }),
    );
  destination
    .command('show <destination_id>')
    .description('Show a destination, its last and its next run; its secret never')
    .action((id: string) =>
      run(async (ctx) => {
        const { org_id } = await find(ctx, id);
        return showDestination(ctx, org_id, id);
      }),
    );
  destination
    .command('test <destination_id>')
    .description('Check that it can be written; exit code 1 when it cannot')
    .action((id: string) =>
      run(async (ctx) => {
        // Only this command writes to a destination: what that needs is loaded by it.
        const testing = await import('../../../shared/wings/push/destinations/test-destination.ts');
        const result = await testing.testDestination(ctx, await find(ctx, id));
        if (!result.ok) process.exitCode = 1;
        return { ...result };
      }),
    );
}

function addRuns(destination: Command, run: Run): void {
  destination
    .command('run <destination_id>')
    .description('Write the finished days that it lacks, now')
    .option('--from <day>', 'first day (default: all)', parseDay)
    .option('--to <day>', 'last day (default: all)', parseDay)
    .option('--force', 'write also days that are unchanged')
    .option('--wait', 'wait until the run has ended; exit code 1 when it failed')
    .action((id: string, options: RunOptions) =>
      run(async (ctx) => {
        const { org_id } = await find(ctx, id);
        const { from = null, to = null, force = false, wait = false } = options;
        if (from !== null && to !== null && from > to)
          throw new DomainError('invalid_request', '--from must not come after --to.');
        const asked = await askForRun(ctx, org_id, id, { from, to, force });
        const shown = wait ? await untilEnded(ctx, id, asked._id) : asked;
        if (shown.state === 'failed') process.exitCode = 1;
        return viewRun(shown);
      }),
    );
  destination
    .command('runs <destination_id>')
    .description('List its runs of the last 90 days, newest first')
    .option('--limit <count>', 'how many, at most 100', parseInteger, 20)
    .action((id: string, { limit }: { limit: number }) =>
      run(async (ctx) => {
        if (limit < 1 || limit > 100)
          throw new DomainError('invalid_request', '--limit must be from 1 to 100.');
        await find(ctx, id);
        const page = { order: 'desc', limit, after: null, total: null } as const;
        const { rows } = await listRuns(ctx, id, page);
        return { runs: rows.map(viewRun) };
      }),
    );
}

interface RunOptions {
  from?: string;
  to?: string;
  force?: boolean;
  wait?: boolean;
}

/** A destination by its id alone. Throws `not_found`. */
async function find(ctx: Context, id: string): Promise<Destination> {
  const row = await destinationRows(ctx).findOne({ _id: id });
  return getDestination(ctx, row?.org_id ?? '', id);
}

async function untilEnded(ctx: Context, id: string, runId: string) {
  for (;;) {
    const found = await getRun(ctx, id, runId);
    if (found.state === 'succeeded' || found.state === 'failed') return found;
    await sleep(POLL_MS);
  }
}

/** A destination as one row. */
function inShort(view: Awaited<ReturnType<typeof showDestination>>) {
  const { id, name, kind, bucket, prefix, status, code, behind_days, made_by, last_run, next_run_at } = view;
  const place = bucket === null ? prefix : `${bucket}/${prefix}`;
  const last_run_at = last_run?.finished_at ?? null;
  const maker = made_by && nameMaker(made_by);
  return { id, name, kind, place, status, code, behind_days, made_by: maker, last_run_at, next_run_at };
}

interface AddOptions {
  name: string;
  kind: Destination['kind'];
  endpoint?: string;
  region?: string;
  bucket?: string;
  virtualHost?: boolean;
  prefix: string;
  accessKeyId?: string;
  secretFile?: string;
  level: string[];
  focusVersion?: Destination['levels'][number]['focus_version'];
  billed?: Destination['levels'][number]['billed'];
  hour?: number;
  since?: string;
  paused?: boolean;
}

/** The body that the api would get. `checkInput` refuses what is missing, and what does not go with a folder. */
async function bodyOf(options: AddOptions): Promise<z.input<typeof destinationInput>> {
  const { name, kind, prefix, endpoint, region, bucket, accessKeyId, virtualHost, since, paused } = options;
  const place = {
    endpoint,
    region,
    bucket,
    access_key_id: accessKeyId,
    path_style: virtualHost ? false : undefined,
    secret_access_key: kind === 's3' || options.secretFile ? await readSecret(options.secretFile) : undefined,
  };
  const input = {
    name,
    kind,
    prefix,
    levels: options.level.map((level) => levelOf(level, options)),
    hour_utc: options.hour,
    since,
    enabled: !paused,
    ...given(place),
  };
  return input as z.input<typeof destinationInput>;
}

function levelOf(given: string, { focusVersion, billed }: AddOptions): object {
  const [level, format, ...more] = given.split(':');
  if (format === undefined || more.length > 0)
    throw new DomainError('invalid_request', `A level is written like focus:parquet, not ${given}.`);
  return level === 'focus' ? { level, format, focus_version: focusVersion, billed } : { level, format };
}

/** The secret, without the end of its line. It is no option: those are seen by everybody on the machine. */
async function readSecret(path: string | undefined): Promise<string> {
  if (path !== undefined) return readFileSync(path, 'utf8').trim();
  if (process.stdin.isTTY)
    throw new DomainError('invalid_request', 'The secret access key comes from --secret-file or from stdin.');
  return (await text(process.stdin)).trim();
}
