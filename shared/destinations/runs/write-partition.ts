import { CONTENT_TYPES } from '../../exports/encode.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { hashedKey } from '../../platform/basics/ids.ts';
import { commitPlan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { replaceRow, updateRow } from '../../platform/mongo/writes.ts';
import { usd9 } from '../../pricing/money.ts';
import { dayAt } from '../days.ts';
import { ExportFailure } from '../failures.ts';
import { exportedBytes } from '../metrics.ts';
import {
  type Destination,
  type DestinationLevel,
  type ExportPartition,
  exportPartitionRows,
  exportRunRows,
} from '../model.ts';
import type { Stored } from '../stores/store.ts';
import {
  type DayTable,
  fingerprintOf,
  type ReadDay,
  readDay,
  SUMMED,
  tableOf,
  totalsOf,
} from './day-table.ts';
import { isOwn } from './place.ts';
import type { DayTotals } from './read-day.ts';
import { confirmRun, type Writing } from './run.ts';
import { PART_NAME, type Spooled, spool } from './spool.ts';

/** The primary key of a day of a level at a destination. */
export function partitionId(destinationId: string, { level }: DestinationLevel, day: string): string {
  return hashedKey(18, destinationId, level, day);
}

/** The folder of a day, which ends with a slash. */
export function partitionFolder(prefix: string, level: DestinationLevel, day: string): string {
  if (level.level !== 'focus') return `${prefix}/${level.level}/date=${day}/`;
  const month = `billing_period=${day.slice(0, 7)}`;
  return `${prefix}/focus/${level.focus_version}/${month}/charge_date=${day}/`;
}

/**
 * Brings one day of a level up to date: spools the files, writes them, then the manifest that names them, then the row, and at
 * last deletes files that no manifest names. Whoever is killed on the way is followed by one that does the same again, and at every
 * moment the files that the manifest names are there. Returns whether anything was written.
 */
export async function writePartition(
  ctx: Context,
  writing: Writing,
  level: DestinationLevel,
  day: ReadDay,
): Promise<'written' | 'unchanged'> {
  const { destination, organization, run } = writing;
  const name = dayAt(day.fromMs);
  const known = await exportPartitionRows(ctx).findOne({ _id: partitionId(destination._id, level, name) });
  const totals = await totalsOf(ctx, organization, level, day);
  const fingerprint = fingerprintOf(organization, level, totals);
  if (known ? known.fingerprint === fingerprint && !run.force : totals.isEmpty) {
    if (known) await removeLeftover(ctx, writing, known);
    return 'unchanged';
  }
  const spooled = await spoolExactly(ctx, writing, level, { day, totals });
  if (spooled === null) return 'unchanged';
  const folder = partitionFolder(destination.prefix, level, name);
  const row = draftRow(ctx, destination, level, day, { ...spooled, folder });
  if (spooled.rows === 0 && (known?.manifest_key ?? null) === null) {
    await record(ctx, writing, { ...row, manifest_key: null });
    return 'unchanged';
  }
  const leftover = unnamed(await writing.store.list(folder), folder, spooled);
  for (const part of spooled.parts)
    await writing.store.putFile(`${folder}${part.name}`, part, CONTENT_TYPES[level.format]);
  const etag = await putManifest(ctx, writing, level, { row, spooled, known });
  const written = { ...row, etag, leftover };
  await record(ctx, writing, written);
  exportedBytes(ctx).inc(row.bytes);
  await removeLeftover(ctx, writing, written);
  return 'written';
}

interface SpooledDay extends Spooled {
  schemaId: string | undefined;
  unpriced: DayTable['unpriced'] | undefined;
  fingerprint: string;
}

/** Looks of one run at a day that changes while it is read. */
const LOOKS = 3;

/**
 * Spools a table that sums to usage: usage was read before and is read after, and when it is the same, the sum of the file is compared with
 * it. Null where the calls of the day are no longer kept. Throws `sums_differ`, and `stale` for a day that does not rest.
 */
async function spoolExactly(
  ctx: Context,
  { organization, folder }: Writing,
  level: DestinationLevel,
  first: { day: ReadDay; totals: DayTotals },
): Promise<SpooledDay | null> {
  const { fromMs } = first.day;
  let day: ReadDay | null = first.day;
  let { totals } = first;
  for (let look = 1; look <= LOOKS; look += 1) {
    const table = await tableOf(ctx, organization, level, day);
    if (table === null) return null;
    const spooled = await spool(folder, level.format, table);
    day = await readDay(ctx, organization, fromMs);
    if (day === null) return null;
    const after = await totalsOf(ctx, organization, level, day);
    if (after.hash === totals.hash) {
      const costNusd = spooled.sums.get(SUMMED[level.level].at(-1) ?? '') ?? 0n;
      if (costNusd !== totals.costNusd) throw new ExportFailure('sums_differ', dayAt(fromMs));
      const { schemaId, unpriced } = table;
      return { ...spooled, schemaId, unpriced, fingerprint: fingerprintOf(organization, level, totals) };
    }
    totals = after;
  }
  throw new ExportFailure('stale', dayAt(fromMs));
}

function draftRow(
  ctx: Context,
  { _id, org_id }: Destination,
  level: DestinationLevel,
  { fromMs }: ReadDay,
  spooled: SpooledDay & { folder: string },
): ExportPartition {
  const sums = SUMMED[level.level].map((column) => [column, usd9(spooled.sums.get(column) ?? 0n)]);
  return {
    _id: partitionId(_id, level, dayAt(fromMs)),
    org_id,
    destination_id: _id,
    level: level.level,
    day: dateAt(fromMs),
    fingerprint: spooled.fingerprint,
    manifest_key: `${spooled.folder}manifest.json`,
    etag: null,
    files: spooled.parts.length,
    rows: spooled.rows,
    bytes: spooled.parts.reduce((sum, { bytes }) => sum + bytes, 0),
    sums: Object.fromEntries(sums),
    written_at: dateAt(ctx.clock.now()),
    leftover: [],
  };
}

interface Manifested {
  row: ExportPartition;
  spooled: SpooledDay;
  known: ExportPartition | null;
}

/**
 * Writes the manifest in place of the one that this destination knows. One that is there and unknown is taken over once, if it is
 * ours: a worker wrote it and was killed before it could say so. Returns its ETag. Throws `prefix_in_use`.
 */
async function putManifest(
  ctx: Context,
  writing: Writing,
  level: DestinationLevel,
  { row, spooled, known }: Manifested,
): Promise<string> {
  const { store, destination } = writing;
  const key = row.manifest_key ?? '';
  const text = manifestText(writing, level, row, spooled);
  await confirmRun(ctx, writing);
  const etag = known?.manifest_key === key ? known.etag : null;
  const put = await store.putText(key, text, etag === null ? 'absent' : { etag });
  if (put !== null) return put;
  const there: Stored | null = await store.read(key);
  if (there !== null && !isOwn(there.text, destination)) throw new ExportFailure('prefix_in_use', key);
  await confirmRun(ctx, writing);
  const again = await store.putText(key, text, there === null ? 'absent' : { etag: there.etag });
  if (again === null) throw new ExportFailure('prefix_in_use', key);
  return again;
}

function manifestText(
  { destination, run }: Writing,
  level: DestinationLevel,
  row: ExportPartition,
  { parts, schemaId, unpriced }: SpooledDay,
): string {
  const day = dayAt(row.day.getTime());
  const isFocus = level.level === 'focus';
  const manifest = {
    manifest_version: 1,
    level: level.level,
    ...(isFocus ? { focus_version: level.focus_version, schema_id: schemaId, billed: level.billed } : {}),
    org_id: destination.org_id,
    destination_id: destination._id,
    ...(isFocus ? { billing_period: day.slice(0, 7) } : {}),
    charge_date: day,
    format: level.format,
    state: 'open',
    files: parts.map(({ name, rows, bytes, sha256 }) => ({ name, rows, bytes, sha256 })),
    rows: row.rows,
    sums: row.sums,
    ...(isFocus ? { unpriced } : {}),
    run_id: run._id,
    written_at: isoTime(row.written_at.getTime()),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Records a day, in the transaction that proves that the run is still this worker's. */
async function record(ctx: Context, writing: Writing, row: ExportPartition): Promise<void> {
  const isWritten = row.manifest_key !== null;
  await commitPlan(ctx, async (transaction) => {
    await confirmRun(ctx, writing, transaction);
    const { rows, bytes } = row;
    const counts = { $inc: { partitions_written: 1, rows, bytes } };
    const counted = isWritten ? [updateRow(exportRunRows, { _id: writing.run._id }, counts)] : [];
    return {
      writes: [replaceRow(exportPartitionRows, row, { upsert: true }), ...counted],
      wakeUps: [],
      result: undefined,
    };
  });
}

/** The names of files of ours that the new manifest does not name. */
function unnamed(keys: readonly string[], folder: string, { parts }: Spooled): string[] {
  const named = new Set(parts.map(({ name }) => name));
  const names = keys.map((key) => key.slice(folder.length));
  return names.filter((name) => PART_NAME.test(name) && !named.has(name));
}

/** Deletes the files that the manifest of a day no longer names. */
async function removeLeftover(
  ctx: Context,
  writing: Writing,
  { _id, manifest_key, leftover }: ExportPartition,
): Promise<void> {
  if (leftover.length === 0 || manifest_key === null) return;
  await confirmRun(ctx, writing);
  const folder = manifest_key.slice(0, manifest_key.lastIndexOf('/') + 1);
  for (const name of leftover) await writing.store.remove(`${folder}${name}`);
  await exportPartitionRows(ctx).updateOne({ _id }, { $set: { leftover: [] } });
}
