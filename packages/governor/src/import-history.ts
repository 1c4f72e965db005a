import { setTimeout as pause } from 'node:timers/promises';
import type { PostedSignal } from '../../../shared/adapters/posted.ts';
import { type Collection, collect, leaveOut, startCollection } from './collect.ts';
import { firstToldMs } from './first-told.ts';
import type { FoundCall, Tool } from './history.ts';
import { findHistory, projectOf, readHistory } from './read-folder.ts';
import { type Pause, sendSignals } from './send-signals.ts';

export interface ImportOptions {
  readonly api: string;
  readonly apiKey: string;
  /** Whose history it is; not needed for a key that is bound to one user. */
  readonly userId?: string | undefined;
  /** Instead of the repository's name. */
  readonly project?: string | undefined;
  /** Whether what is old raises webhooks, budget events and anomalies, as if it came now. By default it does not. */
  readonly events?: boolean | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly onProgress?: ((sent: number, total: number) => void) | undefined;
  /** How it waits while the api is away; tests put their own in. */
  readonly pause?: Pause;
}

/** What was sent, and what was not and why. */
export interface ImportReport {
  signals: number;
  accepted: number;
  duplicates: number;
  rejected: number;
  rejected_codes: Record<string, number>;
  left_out: Record<string, number>;
}

/** Older signals are refused by the api. */
const OLDEST_MS = 35 * 86_400_000;
const BATCH = 1_000;

/** Imports what a tool's folder holds. Repeating it sends the same ids, which changes nothing. Throws as `sendSignals`. */
export async function importFolder(
  tool: Tool,
  folder: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const collection = startCollection();
  for (const file of await findHistory(tool, folder)) collect(collection, await readHistory(tool, file.path));
  return importCollection(tool.adapter, collection, options);
}

/** Sends what was collected, in order of time. */
export async function importCollection(
  adapter: string,
  collection: Collection,
  options: ImportOptions,
): Promise<ImportReport> {
  // Codex tells by OpenTelemetry under other ids than its history has.
  const toldMs = adapter === 'codex' ? await firstToldMs(options, adapter, options.userId) : null;
  const calls = [...collection.calls.values()].filter((call) => {
    const ms = Date.parse(call.signal.ts);
    const reason = reasonToLeaveOut(ms, toldMs, options.nowMs);
    if (reason !== null) leaveOut(collection, reason);
    return reason === null;
  });
  const signals = calls
    .map((call) => signalToSend(call, options))
    .sort((a, b) => Date.parse(a.ts) - Date.parse(b.ts));
  return { ...(await send(signals, options)), left_out: Object.fromEntries(collection.leftOut) };
}

function reasonToLeaveOut(ms: number, toldMs: number | null, nowMs: number): string | null {
  if (ms < nowMs - OLDEST_MS) return 'older than 35 days';
  return toldMs !== null && ms >= toldMs ? 'since OpenTelemetry tells it' : null;
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
): Promise<Omit<ImportReport, 'left_out'>> {
  const report = { signals: signals.length, accepted: 0, duplicates: 0, rejected: 0, rejected_codes: {} };
  const codes: Record<string, number> = report.rejected_codes;
  const target = { ...options, historical: options.events !== true };
  for (let from = 0; from < signals.length; from += BATCH) {
    const results = await sendSignals(target, signals.slice(from, from + BATCH), options.pause ?? pause);
    for (const { status, code = 'unknown' } of results) {
      if (status === 'accepted') report.accepted += 1;
      else if (status === 'duplicate') report.duplicates += 1;
      else {
        report.rejected += 1;
        codes[code] = (codes[code] ?? 0) + 1;
      }
    }
    options.onProgress?.(Math.min(from + BATCH, signals.length), signals.length);
  }
  return report;
}
