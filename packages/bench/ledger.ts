import { randomBytes } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUCKETS } from '../../shared/core/credits/buckets.ts';
import { readAccount } from '../../shared/core/credits/meter/account-record.ts';
import { storedBalances } from '../../shared/core/credits/meter/account-state.ts';
import { findPausedShards } from '../../shared/core/credits/meter/shards.ts';
import { readJwks } from '../../shared/core/credits/receipts/publish-keys.ts';
import { signerOf } from '../../shared/core/credits/receipts/signer.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { waitUntil } from '../stack/wait.ts';
import {
  askJson,
  memoryMib,
  numberOption,
  percentiles,
  type Row,
  report,
  round,
  watchMemory,
} from './bench.ts';
import { AUDIENCE, type Issuer, startIssuer } from './issuer.ts';
import type { Wallet } from './ledger-history.ts';
import { fenceLedger, type Seeded, seedLedger } from './ledger-seed.ts';
import { type Stage, setStage } from './stage.ts';

/** MongoDB's cache: the rows do not fit into less, and seeding takes minutes. */
const CACHE_GIB = 2;
const PAGE = 100;
const DISTINCT_RECEIPTS = 20_000;
const RECOVERY_TIMEOUT_MS = 300_000;

interface Bench extends Stage {
  issuer: Issuer;
}

/**
 * `ledger [--rows 1000000] [--accounts 1000] [--big 100000] [--receipts 100000] [--reads 40]`: pages
 * and a whole read of a long ledger, and what is done with all rows at once: rebuild, reconcile, verify.
 */
export async function runLedgerBench(args: string[]): Promise<void> {
  const rows = numberOption(args, 'rows', 1_000_000);
  const sizes = {
    rows,
    accounts: numberOption(args, 'accounts', 1_000),
    big: numberOption(args, 'big', rows / 10),
  };
  const issuer = await startIssuer();
  const settings = { OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: AUDIENCE, OIDC_CLIENT_ID: 'bench' };
  const bench = { ...(await setStage(settings, { mongoCacheGib: CACHE_GIB })), issuer };
  const table: Row[] = [];
  try {
    const receipts = await makeReceipts(bench.ctx);
    const [seedSeconds, seeded] = await timed(() => seedLedger(bench.ctx, sizes, receipts));
    await fenceLedger(bench.ctx);
    const { answers } = seeded;
    const tell = (...measured: Row[]) => {
      for (const row of measured) console.error(JSON.stringify(row));
      table.push(...measured);
    };
    tell({ what: 'seeded (not a goal)', rows: seeded.rows, answers, seconds: seedSeconds });
    tell(await measureEmptyRedis(bench, seeded));
    tell(...(await measureReads(bench, seeded, numberOption(args, 'reads', 40))));
    tell(await measureCommand(bench, seeded, 'credits reconcile'));
    tell(await measureCommand(bench, seeded, 'rebuild'));
    tell(await measureVerify(bench, receipts, numberOption(args, 'receipts', 100_000)));
  } finally {
    issuer.server.close();
    await bench.stop();
  }
  report('ledger', table);
}

async function makeReceipts(ctx: Context): Promise<string[]> {
  const claim = (count: number) => ({
    iss: 'usage-governor',
    sub: `usr_${randomBytes(11).toString('hex')}`,
    org: `org_${randomBytes(11).toString('hex')}`,
    dev: `dev_${randomBytes(11).toString('hex')}`,
    jti: randomBytes(16).toString('base64url'),
    iat: 1_700_000_000 + count,
    bucket: 'window',
    delta: -1,
    out: randomBytes(32).toString('hex'),
  });
  const receipts: string[] = [];
  for (let count = 0; count < DISTINCT_RECEIPTS; count += 1)
    receipts.push(await signerOf(ctx).sign(claim(count)));
  return receipts;
}

/** Seconds from an empty Redis under a running worker until every shard is open, twice: the second begins by FLUSHALL. */
async function measureEmptyRedis(bench: Bench, seeded: Seeded): Promise<Row> {
  const { ctx } = bench;
  const isOpen = async () => (await findPausedShards(ctx)).size === 0;
  const untilOpen = async () => {
    const isDone = await waitUntil(isOpen, { timeoutMs: RECOVERY_TIMEOUT_MS });
    if (!isDone) throw new Error('Not every shard was opened in time');
  };
  const [withStart, worker] = await timed(async () => {
    const started = await bench.startWorker();
    await untilOpen();
    return started;
  });
  const first = await compareAll(bench.ctx, seeded);
  await ctx.redis.producer.flushall();
  const [seconds] = await timed(untilOpen);
  const { wrong, answers } = await compareAll(bench.ctx, seeded);
  const peak = Math.round(memoryMib(worker.pid, 'VmHWM'));
  await worker.end();
  return {
    what: 'emptied Redis, until all shards are open',
    rows: seeded.rows,
    answers,
    seconds,
    'with start of worker': withStart,
    peak_mib: peak,
    wrong: wrong + first.wrong + Math.abs(answers - seeded.answers),
  };
}

/** Accounts whose balances or seq in Redis are not what their rows add up to, and the answers that Redis holds. */
async function compareAll(ctx: Context, { wallets }: Seeded): Promise<{ wrong: number; answers: number }> {
  let wrong = 0;
  for (const { account, seq, sums } of wallets) {
    const record = await readAccount(ctx, account._id);
    const balances = record && storedBalances(record.state);
    const isRight =
      record?.state.seq === seq && BUCKETS.every((bucket) => balances?.[bucket] === sums[bucket]);
    if (!isRight) wrong += 1;
  }
  return { wrong, answers: await countKeys(ctx, '*:record:*') };
}

async function countKeys(ctx: Context, match: string): Promise<number> {
  let count = 0;
  let cursor = '0';
  do {
    const [next, keys] = (await ctx.redis.producer.call('SCAN', cursor, 'MATCH', match, 'COUNT', 10_000)) as [
      string,
      string[],
    ];
    count += keys.length;
    cursor = next;
  } while (cursor !== '0');
  return count;
}

async function measureReads(bench: Bench, { wallets }: Seeded, reads: number): Promise<Row[]> {
  const { url, pid, end } = await bench.startApi();
  const [big, small] = wallets as [Wallet, Wallet];
  const rows: Row[] = [];
  for (const [who, wallet] of [
    ['big', big],
    ['small', small],
  ] as const) {
    const token = await bench.issuer.mint(wallet.account._id);
    const get = (query: string) => askJson(`${url}/v1/ledger?limit=${PAGE}${query}`, token);
    for (const filter of ['', '&reason=receipt', '&reason=credit.purchase']) {
      rows.push(...(await measurePages(get, { who: `${who}, ${wallet.seq} rows`, filter, reads })));
    }
  }
  rows.push(await measureWhole(url, await bench.issuer.mint(big.account._id), pid));
  await end();
  return rows;
}

type GetPage = (query: string) => Promise<{ cursor: string; has_more: boolean; transactions: unknown[] }>;

interface Reading {
  who: string;
  filter: string;
  reads: number;
}

async function measurePages(get: GetPage, reading: Reading): Promise<Row[]> {
  const { filter } = reading;
  let query = filter;
  let page = 1;
  const rows = [await measurePage(get, reading, page, query)];
  for (let last = await get(query); last.has_more && page < 100; last = await get(query)) {
    query = `${filter}&cursor=${last.cursor}`;
    page += 1;
  }
  if (page > 1) rows.push(await measurePage(get, reading, page, query));
  return rows;
}

async function measurePage(
  get: GetPage,
  { who, filter, reads }: Reading,
  page: number,
  query: string,
): Promise<Row> {
  const times: number[] = [];
  let found = 0;
  for (let read = 0; read < reads; read += 1) {
    const beganMs = performance.now();
    found = (await get(query)).transactions.length;
    times.push(performance.now() - beganMs);
  }
  return { what: `page ${page} of ${PAGE}${filter}`, account: who, found, ...percentiles(times, 1) };
}

/** Every row in one answer. */
async function measureWhole(url: string, token: string, pid: number): Promise<Row> {
  const beforeMib = memoryMib(pid, 'VmRSS');
  let mostMib = beforeMib;
  const watching = setInterval(() => {
    mostMib = Math.max(mostMib, memoryMib(pid, 'VmRSS'));
  }, 20);
  const [seconds, { transactions }] = await timed(() => askJson(`${url}/v1/ledger`, token));
  clearInterval(watching);
  const rows = transactions.length;
  return {
    what: 'whole ledger, streamed',
    rows,
    seconds,
    'rows/s': Math.round(rows / seconds),
    grown_mib: Math.round(mostMib - beforeMib),
  };
}

async function measureCommand(bench: Bench, seeded: Seeded, command: string): Promise<Row> {
  const { seconds, peak, answer } = await runGovernor(bench, command.split(' '));
  const drifted = Array.isArray(answer.drifted) ? answer.drifted.length : 0;
  const { wrong } = await compareAll(bench.ctx, seeded);
  return { what: `governor ${command}`, rows: seeded.rows, seconds, peak_mib: peak, wrong: wrong + drifted };
}

async function measureVerify(bench: Bench, receipts: readonly string[], count: number): Promise<Row> {
  const [file, jwks] = [join(bench.folder, 'receipts.txt'), join(bench.folder, 'jwks.json')];
  writeFileSync(jwks, JSON.stringify({ keys: await readJwks(bench.ctx) }));
  for (let written = 0; written < count; written += receipts.length)
    appendFileSync(file, `${receipts.slice(0, count - written).join('\n')}\n`);
  const { seconds, peak, answer } = await runGovernor(bench, ['verify', file, '--jwks', jwks]);
  const wrong = count - Number(answer.good);
  const each = Math.round(count / seconds);
  return { what: 'governor verify', rows: count, seconds, 'rows/s': each, peak_mib: peak, wrong };
}

/** One command as an operator runs it: its answer, seconds with its start, and the most memory it had. */
async function runGovernor(
  bench: Bench,
  args: string[],
): Promise<{ seconds: number; peak: number; answer: Row }> {
  const startedMs = performance.now();
  const command = bench.start(['scripts/governor.ts', '--json', ...args], {}, 'pipe');
  let text = '';
  command.child.stdout?.on('data', (chunk) => {
    text += String(chunk);
  });
  const peak = await watchMemory(command);
  const seconds = round((performance.now() - startedMs) / 1_000);
  const { exitCode } = command.child;
  if (exitCode !== 0) throw new Error(`governor ${args[0]} ended with ${exitCode}: ${text.slice(0, 500)}`);
  return { seconds, peak, answer: JSON.parse(text) as Row };
}

async function timed<T>(work: () => Promise<T>): Promise<[seconds: number, T]> {
  const startedMs = performance.now();
  const result = await work();
  return [round((performance.now() - startedMs) / 1_000), result];
}
