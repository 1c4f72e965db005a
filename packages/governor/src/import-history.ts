import { setTimeout as pause } from 'node:timers/promises';
import type { PostedSignal } from '../../../shared/core/calls/adapters/posted.ts';
import type { Api, Pause } from './api/ask.ts';
import { firstSeenMs, ScopeMissing } from './api/first-seen.ts';
import { sendSignals } from './api/send-signals.ts';
import { type Collection, collect, leaveOut, startCollection } from './collect.ts';
import { contextsOfHistory, sendContexts, type ToldPlace } from './context/history-contexts.ts';
import { findHistory, projectOf, readHistory } from './read-folder.ts';
import type { FoundCall, Tool } from './readers/history.ts';

export interface ImportOptions extends Api {
  /** The user of the history; not needed for a key that is bound to one user. */
  readonly userId?: string | undefined;
  /** Instead of the repository's name. */
  readonly project?: string | undefined;
  /** True when old calls raise webhooks, budget events and anomalies, as if they came now. */
  readonly events?: boolean | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly onProgress?: ((sent: number, total: number) => void) | undefined;
  /** How it waits while the api is away; tests put their own in. */
  readonly pause?: Pause;
  /** Sessions that were found to be imported before. */
  readonly importedSessions?: Set<string>;
  /** The place that each client session was told last. */
  readonly toldPlaces?: Map<string, ToldPlace>;
}

/** Counts of the signals that were sent, and of those that were not, by reason. */
export interface ImportReport {
  signals: number;
  accepted: number;
  duplicates: number;
  /** Above a limit of the organization: an admin decides. */
  held: number;
  rejected: number;
  /** Places that client sessions were told; absent where the history says none. */
  contexts?: number;
  rejected_codes: Record<string, number>;
  left_out: Record<string, number>;
  /** Adapters whose calls may be counted twice if OpenTelemetry sends them too: the key may not read sessions. */
  not_compared?: string[];
}

/** Older signals are refused by the api. */
const OLDEST_MS = 35 * 86_400_000;
const BATCH = 1_000;
/** The api takes 1 MiB per request; the rest is for the envelope. */
const BATCH_BYTES = 1_000_000;

/** Imports a tool's folder. Repeating it sends the same ids, which changes nothing. Throws as `sendSignals`. */
export async function importFolder(
  tool: Tool,
  folder: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const collection = startCollection();
  const { files, unreadable } = await findHistory(tool, [folder]);
  if (unreadable > 0) leaveOut(collection, UNREADABLE_FOLDER, unreadable);
  for (const file of files) collect(collection, await readHistory(tool, file.path));
  return importCollection(collection, options);
}

export const UNREADABLE_FOLDER = 'a folder that cannot be read';

/** Sends the collected calls, in order of time. */
export async function importCollection(
  collection: Collection,
  options: ImportOptions,
): Promise<ImportReport> {
  const keep = (calls: FoundCall[], reason: string, isKept: (call: FoundCall, ms: number) => boolean) => {
    const kept = calls.filter((call) => isKept(call, Date.parse(call.signal.ts)));
    if (kept.length < calls.length) leaveOut(collection, reason, calls.length - kept.length);
    return kept;
  };
  const all = [...collection.calls.values()];
  // The api judges an invalid time.
  const young = keep(all, 'older than 35 days', (_, ms) => !(ms < options.nowMs - OLDEST_MS));
  const { seenMs, notCompared } = await seenSince(young, options);
  const unseen = keep(young, 'since OpenTelemetry tells it', ({ signal, sharesId }, ms) => {
    return sharesId || !(ms >= (seenMs.get(signal.adapter) ?? Number.POSITIVE_INFINITY));
  });
  // Before the signals, and also for those that telemetry has told.
  const contexts = await tellPlaces(collection, young, options);
  const signals = unseen
    .map((call) => signalToSend(call, options))
    .sort((a, b) => Date.parse(a.ts) - Date.parse(b.ts));
  return {
    ...(await send(signals, options)),
    ...(contexts > 0 ? { contexts } : {}),
    left_out: Object.fromEntries(collection.leftOut),
    ...(notCompared.length > 0 ? { not_compared: notCompared } : {}),
  };
}

/** Tells the places of client sessions, and returns how many contexts the api has taken. */
async function tellPlaces(
  collection: Collection,
  calls: readonly FoundCall[],
  options: ImportOptions,
): Promise<number> {
  const told = new Map(options.toldPlaces);
  const { contexts, withoutRepository } = await contextsOfHistory(calls, { userId: options.userId, told });
  if (withoutRepository > 0) leaveOut(collection, WITHOUT_REPOSITORY, withoutRepository);
  const taken = await sendContexts(options, contexts, options.pause ?? pause);
  // The next round tells again what was not sent.
  for (const [session, place] of told) options.toldPlaces?.set(session, place);
  return taken;
}

/** The reason for a branch that was dropped; its call counts all the same. */
const WITHOUT_REPOSITORY = 'branch only: its folder is in no repository of this machine';

/** By adapter, the time since which OpenTelemetry sends calls under other ids. */
async function seenSince(
  calls: readonly FoundCall[],
  options: ImportOptions,
): Promise<{ seenMs: ReadonlyMap<string, number>; notCompared: string[] }> {
  const seenMs = new Map<string, number>();
  const notCompared: string[] = [];
  const others = calls.filter(({ sharesId }) => !sharesId);
  for (const adapter of new Set(others.map(({ signal }) => signal.adapter))) {
    try {
      const ms = await firstSeenMs(options, adapter, options.userId);
      if (ms !== null) seenMs.set(adapter, ms);
    } catch (error) {
      // Most users of Codex have connected it. Most other tools have history alone.
      if (!(error instanceof ScopeMissing) || adapter === 'codex') throw error;
      notCompared.push(adapter);
    }
  }
  return { seenMs, notCompared };
}

function signalToSend({ signal, cwd }: FoundCall, { userId, project }: ImportOptions): PostedSignal {
  const projectId = project ?? signal.project_id ?? (cwd === undefined ? undefined : projectOf(cwd));
  return {
    ...signal,
    ...(userId === undefined ? {} : { user_id: userId }),
    ...(projectId === undefined ? {} : { project_id: projectId }),
  };
}

async function send(
  signals: readonly PostedSignal[],
  options: ImportOptions,
): Promise<Omit<ImportReport, 'left_out' | 'not_compared'>> {
  const report = {
    signals: signals.length,
    accepted: 0,
    duplicates: 0,
    held: 0,
    rejected: 0,
    rejected_codes: {},
  };
  const codes: Record<string, number> = report.rejected_codes;
  const target = { ...options, historical: options.events !== true };
  let sent = 0;
  for (const batch of batchesOf(signals)) {
    const results = await sendSignals(target, batch, options.pause ?? pause);
    for (const { status, code = 'unknown' } of results) {
      if (status === 'accepted') report.accepted += 1;
      else if (status === 'duplicate') report.duplicates += 1;
      else if (status === 'held') report.held += 1;
      else {
        report.rejected += 1;
        codes[code] = (codes[code] ?? 0) + 1;
      }
    }
    sent += batch.length;
    options.onProgress?.(sent, signals.length);
  }
  return report;
}

function* batchesOf(signals: readonly PostedSignal[]): Generator<PostedSignal[]> {
  let batch: PostedSignal[] = [];
  let bytes = 0;
  for (const signal of signals) {
    const size = Buffer.byteLength(JSON.stringify(signal)) + 1;
    if (batch.length === BATCH || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(signal);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
