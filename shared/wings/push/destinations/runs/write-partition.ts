import { usd9 } from '../../../../core/pricing/money.ts';
import { dateAt, isoTime } from '../../../../platform/basics/clock.ts';
import { hashedKey } from '../../../../platform/basics/ids.ts';
import { dayAt, startOfDay } from '../../../../platform/basics/utc-days.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { replaceRow, updateRow } from '../../../../platform/mongo/writes.ts';
import { CONTENT_TYPES } from '../../../exports/encode.ts';
import { monthOf } from '../../closing/months.ts';
import type { DailyTable } from '../../closing/read-usage.ts';
import { ExportFailure } from '../failures.ts';
import { exportedBytes } from '../metrics.ts';
import {
  type Destination,
  type DestinationLevel,
  destinationRows,
  type ExportPartition,
  exportPartitionRows,
  exportRunRows,
} from '../model.ts';
import type { Stored } from '../stores/store.ts';
import { finalFingerprint, openFingerprint, SUMMED, totalsOf } from './partition-table.ts';
import { mayReplace } from './place.ts';
import { confirmRun, type Writing } from './run.ts';
import { PART_NAME, type Spooled } from './spool.ts';
import { ownParts, type SpooledPartition, spoolFinal, spoolOpen } from './spool-exactly.ts';
import type { KnownTarget, Target } from './targets.ts';

export function partitionId(destinationId: string, { level, day, billingPeriod }: Target): string {
  const later = billingPeriod === monthOf(day) ? [] : [billingPeriod];
  return hashedKey(18, destinationId, level.level, day, ...later);
}

/** The folder of a partition, which ends with a slash. */
export function partitionFolder(prefix: string, { level, day, billingPeriod }: Target): string {
  if (level.level !== 'focus') return `${prefix}/${level.level}/date=${day}/`;
  return `${prefix}/focus/${level.focus_version}/billing_period=${billingPeriod}/charge_date=${day}/`;
}

/**
 * Brings a partition up to date: spools the files, writes them, then the manifest that names them, then the row, and at
 * last deletes files that no manifest names. Whoever is killed on the way is followed by one that does the same again, and at every
 * moment the files that the manifest names are there. Returns whether anything was written. `daily` is the usage of the day;
 * where it cannot be told (null), a partition that is open stays as it is.
 */
export async function writePartition(
  ctx: Context,
  writing: Writing,
  { target, known }: KnownTarget,
  daily: DailyTable | null,
): Promise<'written' | 'unchanged'> {
  const made = await spoolIfChanged(ctx, writing, { target, known }, daily);
  if (made === null) {
    if (known) await removeLeftover(ctx, writing, known);
    return 'unchanged';
  }
  const spooled = { ...made, parts: await ownParts(writing, made.parts, known) };
  const folder = partitionFolder(writing.destination.prefix, target);
  const row = draftRow(ctx, writing.destination, target, { ...spooled, folder });
  if (spooled.rows === 0 && (known?.manifest_key ?? null) === null) {
    await record(ctx, writing, { ...row, manifest_key: null });
    return 'unchanged';
  }
  const there = await writing.store.list(folder, { isWanted: (name) => PART_NAME.test(name) });
  const leftover = unnamed(there, folder, spooled);
  for (const part of spooled.parts)
    await writing.store.putFile(`${folder}${part.name}`, part, CONTENT_TYPES[target.level.format]);
  await confirmRun(ctx, writing);
  await writing.store.removeUnfinished(folder, isOwnName);
  const etag = await putManifest(ctx, writing, target.level, { row, spooled, known });
  const written = { ...row, etag, leftover };
  await record(ctx, writing, written);
  exportedBytes(ctx).inc(row.bytes);
  await removeLeftover(ctx, writing, written);
  return 'written';
}

/** The files of a partition; null where it is as it should be, or has nothing to show. */
async function spoolIfChanged(
  ctx: Context,
  writing: Writing,
  { target, known }: KnownTarget,
  daily: DailyTable | null,
): Promise<SpooledPartition | null> {
  const { organization, run } = writing;
  if (target.state === 'final') {
    const isSame = known?.fingerprint === finalFingerprint(target) && !run.force;
    return isSame || (known === null && !target.part?.rows) ? null : spoolFinal(ctx, writing, target);
  }
  if (daily === null) return null;
  const totals = await totalsOf(ctx, organization, target, daily);
  const isSame = known?.fingerprint === openFingerprint(organization, target, totals) && !run.force;
  return isSame || (known === null && totals.isEmpty) ? null : spoolOpen(ctx, writing, target, daily, totals);
}

function draftRow(
  ctx: Context,
  { _id, org_id }: Destination,
  target: Target,
  spooled: SpooledPartition & { folder: string },
): ExportPartition {
  const { level } = target.level;
  const sums = SUMMED[level].map((column) => [column, usd9(spooled.sums.get(column) ?? 0n)]);
  return {
    _id: partitionId(_id, target),
    org_id,
    destination_id: _id,
    level,
    day: dateAt(startOfDay(target.day)),
    billing_period: target.billingPeriod,
    state: target.state,
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
  spooled: SpooledPartition;
  known: ExportPartition | null;
}

/**
 * Writes the manifest in place of the one that this destination knows. One that is there and unknown is taken over once, if it is
 * ours (a worker wrote it and was killed before it could say so) or of a deleted destination. Returns its ETag. Throws
 * `prefix_in_use`.
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
  if (there !== null && !(await mayReplace(ctx, there.text, destination)))
    throw new ExportFailure('prefix_in_use', key);
  await confirmRun(ctx, writing);
  const again = await store.putText(key, text, there === null ? 'absent' : { etag: there.etag });
  if (again === null) throw new ExportFailure('prefix_in_use', key);
  return again;
}

function manifestText(
  { destination, run }: Writing,
  level: DestinationLevel,
  row: ExportPartition,
  { parts, schemaId, unpriced }: SpooledPartition,
): string {
  const day = dayAt(row.day.getTime());
  const isFocus = level.level === 'focus';
  const manifest = {
    manifest_version: 1,
    level: level.level,
    ...(isFocus ? { focus_version: level.focus_version, schema_id: schemaId, billed: level.billed } : {}),
    org_id: destination.org_id,
    destination_id: destination._id,
    ...(isFocus ? { billing_period: row.billing_period } : {}),
    charge_date: day,
    format: level.format,
    state: row.state,
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
      writes: [
        replaceRow(exportPartitionRows, row, { upsert: true }),
        updateRow(destinationRows, { _id: row.destination_id }, { $inc: { touches: 1 } }),
        ...counted,
      ],
      result: undefined,
    };
  });
}

function isOwnName(name: string): boolean {
  return PART_NAME.test(name) || name === 'manifest.json';
}

/** The names of files of ours that the new manifest does not name. */
function unnamed(keys: readonly string[], folder: string, { parts }: Spooled): string[] {
  const named = new Set(parts.map(({ name }) => name));
  return keys
    .map((key) => key.slice(folder.length))
    .filter((name) => PART_NAME.test(name) && !named.has(name));
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
