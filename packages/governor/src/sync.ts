import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiAway, describeFailure } from './api/ask.ts';
import { collect, leaveOut, startCollection } from './collect.ts';
import type { ToldPlace } from './context/history-contexts.ts';
import { isSame, nameOfTarget, readSent, type SentFiles, writeSent } from './cursor.ts';
import {
  type ImportOptions,
  type ImportReport,
  importCollection,
  UNREADABLE_FOLDER,
} from './import-history.ts';
import { findHistory, type HistoryFile, readHistory, UNREADABLE } from './read-folder.ts';
import type { Found, FoundCall, Tool } from './readers/history.ts';

export interface SyncOptions extends Omit<ImportOptions, 'nowMs'> {
  /** Tools to watch, each with its folders. */
  readonly tools: readonly { tool: Tool; folders: readonly string[] }[];
  /** Keeps which files were sent. */
  readonly cursorFile: string;
  readonly now: () => number;
  /** Milliseconds between two rounds. */
  readonly everyMs: number;
  /** Ends after one round, which sends files that still grow too. */
  readonly once: boolean;
  readonly onReport: (tool: string, report: ImportReport) => void;
  /** Called each time that a round ends because the api is away. */
  readonly onAway: (message: string) => void;
}

/** An answer's lines come one after the other, and a signal is kept as it came first: so long a file must be still. */
const SETTLED_MS = 30_000;

/** The state of this run. */
interface Progress {
  target: string;
  /** Sent whole: the cursor's part of this target. */
  sent: SentFiles;
  /** Sent, or refused or unreadable as they are; the next run tries those again. */
  handled: SentFiles;
  readings: Map<string, { size: number; changedMs: number; found: Found[] }>;
  /** Calls that were taken: a growing file repeats them in each round. */
  taken: Set<string>;
  importedSessions: Set<string>;
  /** The place that each client session was told last. */
  toldPlaces: Map<string, ToldPlace>;
}

/**
 * Sends what is new in the folders, again and again. A file is read when it has changed, and sent when it has been still
 * for half a minute. Files that were sent before are read once for what other files repeat of them. While the api is away
 * it tries again; with `once` it throws. Throws as `sendSignals` for any other reason.
 */
export async function sync(options: SyncOptions): Promise<void> {
  const target = nameOfTarget(options);
  const sent = readSent(options.cursorFile, target);
  const progress: Progress = {
    target,
    sent,
    handled: { ...sent },
    readings: new Map(),
    taken: new Set(),
    importedSessions: new Set(),
    toldPlaces: new Map(),
  };
  for (;;) {
    try {
      await syncAll(progress, options);
    } catch (error) {
      if (options.once || !(error instanceof ApiAway)) throw error;
      options.onAway(error.message);
    }
    if (options.once) return;
    await (options.pause ?? wait)(options.everyMs);
  }
}

/** A tool that fails does not stop the others; its error is thrown at the end. */
async function syncAll(progress: Progress, options: SyncOptions): Promise<void> {
  const failures: Error[] = [];
  for (const { tool, folders } of options.tools) {
    try {
      await syncTool(tool, folders, progress, options);
    } catch (error) {
      if (error instanceof ApiAway) throw error;
      failures.push(new Error(`${tool.name}: ${describeFailure(error)}`, { cause: error }));
    }
  }
  if (failures[0]) throw failures[0];
}

async function syncTool(
  tool: Tool,
  folders: readonly string[],
  progress: Progress,
  options: SyncOptions,
): Promise<void> {
  const { files, unreadable } = await findHistory(
    tool,
    folders.filter((folder) => existsSync(folder)),
  );
  const due = files.filter((file) => !isSame(progress.handled[file.path], file) && isStill(file, options));
  if (due.length === 0) return;
  // All of them, in order: a fork's file repeats what its parent's says.
  const collection = startCollection();
  if (unreadable > 0) leaveOut(collection, UNREADABLE_FOLDER, unreadable);
  for (const file of files) collect(collection, await read(tool, file, progress));
  const paths = new Set(due.map(({ path }) => path));
  const { importedSessions, toldPlaces, taken } = progress;
  for (const [key, { file = '', signal }] of collection.calls)
    if (!paths.has(file) || taken.has(nameOf(signal))) collection.calls.delete(key);
  const sending = { ...options, nowMs: options.now(), importedSessions, toldPlaces };
  const report = await importCollection(collection, sending);
  noteSent(due, report, progress);
  if (report.rejected === 0) for (const { signal } of collection.calls.values()) taken.add(nameOf(signal));
  writeSent(options.cursorFile, progress.target, progress.sent);
  options.onReport(tool.name, report);
}

function nameOf({ adapter, id }: FoundCall['signal']): string {
  return `${adapter} ${id}`;
}

/** A file counts as sent when it could be read to its end and the api refused nothing in this round. */
function noteSent(due: readonly HistoryFile[], { rejected }: ImportReport, progress: Progress): void {
  for (const { path, size, changedMs } of due) {
    progress.handled[path] = { size, changedMs };
    const found = progress.readings.get(path)?.found ?? [];
    const isWhole = found.every((item) => !('leftOut' in item) || item.leftOut !== UNREADABLE);
    if (isWhole && rejected === 0) progress.sent[path] = { size, changedMs };
  }
}

function isStill({ changedMs }: HistoryFile, { once, now }: SyncOptions): boolean {
  return once || now() - changedMs >= SETTLED_MS;
}

/** The calls of a file, which is read again only when it has changed. */
async function read(tool: Tool, file: HistoryFile, { readings }: Progress): Promise<Found[]> {
  const known = readings.get(file.path);
  if (known && isSame(known, file)) return known.found;
  const found = await readHistory(tool, file.path);
  readings.set(file.path, { size: file.size, changedMs: file.changedMs, found });
  return found;
}
