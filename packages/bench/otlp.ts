import { Agent } from 'node:http';
import { ask, numberOption, onStage, percentiles, type Row, report, round, runClients } from './bench.ts';
import { type Encoding, logsBody, signalOf, TYPES } from './otlp-bodies.ts';
import { measureHostileBodies } from './otlp-hostile.ts';
import { measureLargestBody, measureSync } from './otlp-memory.ts';
import { expectAll, makeKey, type Stage } from './stage.ts';

const BATCHES = [512, 8_192];
const ENCODINGS: readonly Encoding[] = ['protobuf', 'json'];

/**
 * Records a second through `POST /otlp/v1/logs` against the same calls through `POST /api/v1/signals`, in slices of one
 * run; the memory that a body of 16 MiB takes, an honest one and hostile ones; `governor sync` of 100,000 lines.
 * `--seconds N` a cell, `--clients N`; `--hostile` runs the hostile bodies alone.
 */
export async function runOtlpBench(args: string[]): Promise<void> {
  const seconds = numberOption(args, 'seconds', 6);
  const clients = numberOption(args, 'clients', 4);
  await onStage(async (stage) => {
    if (args.includes('--hostile')) {
      report('otlp-hostile-bodies', await measureHostileBodies(stage));
      return;
    }
    const { url } = await stage.startApi();
    const rows: Row[] = [];
    await measure(stage, url, { batch: 512, encoding: 'protobuf', clients, seconds: 2 });
    for (const batch of BATCHES) {
      for (const encoding of ENCODINGS)
        rows.push(await measure(stage, url, { batch, encoding, clients, seconds }));
    }
    report('otlp', rows);
    const largest: Row[] = [];
    for (const encoding of ENCODINGS)
      largest.push(await measureLargestBody(stage, await makeKey(stage), encoding));
    report('otlp-largest-body', largest);
    report('otlp-hostile-bodies', await measureHostileBodies(stage));
    report('sync', [await measureSync(stage, url, (await makeKey(stage)).key)]);
  });
}

interface Cell {
  batch: number;
  encoding: Encoding;
  clients: number;
  seconds: number;
}

/** The two sides take turns in slices, so that a noisy minute hits both; both send batches of one size. */
async function measure(stage: Stage, url: string, cell: Cell): Promise<Row> {
  const { orgId, key } = await makeKey(stage);
  const agent = new Agent({ keepAlive: true, maxSockets: cell.clients });
  let made = 0;
  const next = (count: number) => Array.from({ length: count }, () => made++);
  const otlp = { records: 0, seconds: 0, times: [] as number[] };
  const signals = { records: 0, seconds: 0 };
  const perPost = Math.min(cell.batch, 1_000);
  for (let slice = 0; slice < 2; slice += 1) {
    const sent = await runClients(cell.clients, cell.seconds / 2, () =>
      post(agent, `${url}/otlp/v1/logs`, key, logsBody(next(cell.batch), cell.encoding), cell.encoding),
    );
    otlp.records += sent.times.length * cell.batch;
    otlp.seconds += sent.seconds;
    otlp.times.push(...sent.times);
    const posted = await runClients(cell.clients, cell.seconds / 2, () => {
      const body = Buffer.from(JSON.stringify({ signals: next(perPost).map(signalOf) }));
      return post(agent, `${url}/api/v1/signals`, key, body, 'json');
    });
    signals.records += posted.times.length * perPost;
    signals.seconds += posted.seconds;
  }
  agent.destroy();
  await expectAll(stage, orgId, otlp.records + signals.records);
  const perSecond = otlp.records / otlp.seconds;
  const signalsPerSecond = signals.records / signals.seconds;
  return {
    batch: cell.batch,
    encoding: cell.encoding,
    clients: cell.clients,
    'records/s': Math.round(perSecond),
    'signals/s': Math.round(signalsPerSecond),
    ratio: round(perSecond / signalsPerSecond),
    p99_ms: percentiles(otlp.times).p99_ms,
  };
}

/** Resolves when the whole batch was taken: an answer with a partial success fails. */
async function post(agent: Agent, url: string, key: string, body: Buffer, encoding: Encoding): Promise<void> {
  const answer = await ask(agent, url, key, body, TYPES[encoding]);
  if (url.includes('/otlp/') && answer.length > 2) throw new Error(`${url} took a part: ${answer}`);
}
