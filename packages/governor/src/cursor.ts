import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Api } from './api/ask.ts';
import type { HistoryFile } from './read-folder.ts';
import { asObject, type Json, parseObject } from './readers/history.ts';

/** By path, the state in which a file was sent. */
export type SentFiles = Record<string, { size: number; changedMs: number }>;

/** Identifies server and account: what one account received says nothing about another. */
export function nameOfTarget({ api, apiKey, userId }: Api & { userId?: string | undefined }): string {
  const parts = JSON.stringify([api, apiKey, userId ?? null]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 32);
}

/** The files that earlier runs sent to a target. Throws for a file that is no cursor. */
export function readSent(cursorFile: string, target: string): SentFiles {
  return { ...(asObject(readCursor(cursorFile)[target]) as SentFiles | undefined) };
}

/**
 * Writes the whole file or nothing: a sync that ends in between leaves the one before. Only its owner may read it, since it
 * names every history file and so the folders that somebody works in.
 */
export function writeSent(cursorFile: string, target: string, sent: SentFiles): void {
  mkdirSync(dirname(cursorFile), { recursive: true, mode: 0o700 });
  const cursor = { ...readCursor(cursorFile), [target]: { ...readSent(cursorFile, target), ...sent } };
  const written = `${cursorFile}.${process.pid}`;
  rmSync(written, { force: true });
  writeFileSync(written, JSON.stringify(cursor), { mode: 0o600, flag: 'wx' });
  renameSync(written, cursorFile);
}

export function isSame(sent: { size: number; changedMs: number } | undefined, file: HistoryFile): boolean {
  return sent?.size === file.size && sent.changedMs === file.changedMs;
}

function readCursor(path: string): Json {
  if (!existsSync(path)) return {};
  const cursor = parseObject(readFileSync(path, 'utf8'));
  if (!cursor) throw new Error(`${path} is damaged. Delete it: all is sent again, and counted once.`);
  return cursor;
}
