import { styleText } from 'node:util';
import type { Command } from 'commander';
import { describeFailure } from '../../packages/governor/src/api/ask.ts';
import { inOneLine } from '../../packages/governor/src/output/cells.ts';
import { readUp } from '../../packages/stack/read-run.ts';
import { baseUrl, type Config } from '../../shared/platform/basics/config.ts';
import { createLog } from '../../shared/platform/basics/log.ts';
import { within } from '../../shared/platform/basics/within.ts';
import { openContext } from '../../shared/platform/context/context.ts';
import { WINGS } from '../../shared/tables/wings.ts';
import { parseAddress } from './basics/input.ts';
import type { Probe, Probed, Service } from './basics/probe.ts';
import { configOf } from './basics/run.ts';
import { PROBES } from './probes.ts';
import { versionOf } from './version.ts';

type State = Probed['status'];

/** One line of the screen. */
interface Check extends Probed {
  name: string;
}

interface Status {
  status: State;
  version: string;
  checks: Check[];
}

/** A probe that takes longer has failed. */
const PATIENCE_MS = 3_000;
const WORST_FIRST = ['failing', 'warning', 'ok'] as const satisfies State[];

/** `status`: the whole service on one screen. It exits 1 when something is failing. */
export function addStatusCommand(program: Command, env: Record<string, string | undefined>): void {
  program
    .command('status')
    .description('Show whether every part of the service works; exit code 1 when one is failing')
    .option(
      '--api <url>',
      'where the api answers; default: the running scripts/up, else BASE_URL',
      parseAddress,
    )
    .action(async (flags: { api?: string }) => {
      const { json, data } = program.opts<{ json?: boolean; data: string }>();
      const config = configOf(env, data);
      const api = flags.api ?? readUp(data).api ?? baseUrl(config);
      const status = await readStatus(config, api.replace(/\/+$/, ''));
      console.log(json ? JSON.stringify(status) : renderStatus(status));
      process.exitCode = status.status === 'failing' ? 1 : 0;
    });
}

/** Asks all parts at once: one that hangs or fails does not hide the others. */
async function readStatus(config: Config, api: string): Promise<Status> {
  const log = createLog({ level: 'silent', process: 'cli', destination: process.stderr });
  const opening = openContext(config, { process: 'cli', wings: WINGS, log });
  opening.catch(() => undefined);
  const service: Service = { config, api, opening };
  const checks = await Promise.all(
    Object.entries(PROBES).map(async ([name, probe]) => ({ name, ...(await attempt(probe, service)) })),
  );
  void opening.then(
    (ctx) => ctx.close(),
    () => undefined,
  );
  const status = WORST_FIRST.find((state) => checks.some((check) => check.status === state)) ?? 'ok';
  return { status, version: versionOf(), checks };
}

async function attempt(probe: Probe, service: Service): Promise<Probed> {
  try {
    return await within(PATIENCE_MS, 'The answer', probe(service));
  } catch (error) {
    return { status: 'failing', detail: describeFailure(error).split('\n')[0] ?? '' };
  }
}

const SIGNS = { ok: '✓', warning: '!', failing: '✗' } as const;
const COLOURS = { ok: 'green', warning: 'yellow', failing: 'red' } as const;

function renderStatus({ status, version, checks }: Status): string {
  const wide = Math.max(...checks.map(({ name }) => name.length));
  const paint = (state: State, text: string) => styleText(COLOURS[state], text, { stream: process.stdout });
  const lines = checks.map(
    (check) =>
      `${paint(check.status, `${SIGNS[check.status]} ${check.status.padEnd(7)}`)}  ${check.name.padEnd(wide)}  ${inOneLine(check.detail)}`,
  );
  return [`usage-governor ${version}: ${paint(status, status)}`, '', ...lines].join('\n');
}
