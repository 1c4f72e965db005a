import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { collect, startCollection } from './collect.ts';
import type { Found, Tool } from './history.ts';
import { type ImportOptions, type ImportReport, importCollection } from './import-history.ts';
import { findHistory, type HistoryFile, readHistory } from './read-folder.ts';

export interface SyncOptions extends Omit<ImportOptions, 'nowMs' | 'onProgress'> {
  /** Folders to watch, each with its tool. */
  readonly folders: readonly { tool: Tool; folder: string }[];
  /** Where the cursor is kept: what has been sent of which file. */
  readonly cursorFile: string;
  readonly now: () => number;
  /** Between two looks, in milliseconds. */
  readonly everyMs: number;
  /** Ends after one look, which then waits for no answer to become whole. */
  readonly once: boolean;
  readonly onReport: (tool: string, report: ImportReport) => void;
}

/** An answer's lines come one after the other, and a signal is kept as it came first: so long a file must be still. */
const SETTLED_MS = 30_000;

/** By file, the size and time of what was sent. */
type Cursor = Record<string, { size: number; mtimeMs: number }>;

interface Reading {
  size: number;
  mtimeMs: number;
  found: Found[];
}

/**
 * Sends what is new in the folders, again and again. A file is read when it has changed, and sent when it has been still
 * for half a minute. Files that were sent before are read once for what other files repeat of them. Throws as `sendSignals`.
 */
export async function sync(options: SyncOptions): Promise<void> {
  const cursor = readCursor(options.cursorFile);
  const readings = new Map<string, Reading>();
  for (;;) {
    for (const { tool, folder } of options.folders) {
      if (existsSync(folder)) await look(tool, folder, cursor, readings, options);
    }
    if (options.once) return;
    await (options.pause ?? wait)(options.everyMs);
  }
}

async function look(
  tool: Tool,
  folder: string,
  cursor: Cursor,
  readings: Map<string, Reading>,
  options: SyncOptions,
): Promise<void> {
  const files = await findHistory(tool, folder);
  const due = files.filter((file) => !isSame(cursor[file.path], file) && isStill(file, options));
  if (due.length === 0) return;
  // All of them, in order: a fork's file repeats what its parent's says.
  const collection = startCollection();
  for (const file of files) collect(collection, await read(tool, file, readings));
  const paths = new Set(due.map(({ path }) => path));
  for (const [key, { file = '' }] of collection.calls) if (!paths.has(file)) collection.calls.delete(key);
  const report = await importCollection(tool.adapter, collection, { ...options, nowMs: options.now() });
  for (const { path, size, mtimeMs } of due) cursor[path] = { size, mtimeMs };
  writeCursor(options.cursorFile, cursor);
  options.onReport(tool.name, report);
}

function isSame(sent: { size: number; mtimeMs: number } | undefined, file: HistoryFile): boolean {
  return sent?.size === file.size && sent.mtimeMs === file.mtimeMs;
}

function isStill({ mtimeMs }: HistoryFile, { once, now }: SyncOptions): boolean {
  return once || now() - mtimeMs >= SETTLED_MS;
}

/** What a file says, read again only when it has changed. */
async function read(tool: Tool, file: HistoryFile, readings: Map<string, Reading>): Promise<Found[]> {
  const known = readings.get(file.path);
  if (known && isSame(known, file)) return known.found;
  const found = await readHistory(tool, file.path);
  readings.set(file.path, { size: file.size, mtimeMs: file.mtimeMs, found });
  return found;
}

function readCursor(path: string): Cursor {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Cursor) : {};
}

/** Whole or not at all: a sync that is ended in between finds the one before. */
function writeCursor(path: string, cursor: Cursor): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(cursor));
  renameSync(`${path}.new`, path);
}
