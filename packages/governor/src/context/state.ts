import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, parseObject } from '../readers/history.ts';

/** A context as the api takes it. */
export interface PostedContext {
  client_session_id: string;
  ts: string;
  user_id?: string;
  repository?: string | null;
  branch?: string;
  commit?: string;
  worktree?: string;
  renamed_from?: string;
  task?: string | null;
}

/** The state that this machine keeps between two hooks. Paths stay in it. */
export interface State {
  /** Contexts that could not be sent yet, oldest first. */
  waiting: PostedContext[];
  /** By client session the place that was told last, and when (epoch ms). */
  told: Record<string, { place: string; atMs: number }>;
  /** By folder of a checkout the client sessions that were seen there, and when last (epoch ms). */
  seen: Record<string, Record<string, number>>;
  /** Renames that were told. */
  renames: string[];
}

const MOST_WAITING = 1_000;
const MOST_KEPT = 500;
/** How long a session counts as one that works in a checkout. */
export const SEEN_MS = 24 * 3_600_000;

export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'governor');
}

/**
 * Changes the state: one process at a time, and the file is there whole, before or after. A process that died with the lock
 * is not waited for longer than a second.
 */
export async function changeState<Result>(
  folder: string,
  nowMs: number,
  change: (state: State) => Result,
): Promise<Result> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, 'lock');
  await takeLock(lock);
  try {
    const path = join(folder, 'contexts.json');
    const state = readState(path);
    const result = change(state);
    const written = `${path}.${process.pid}`;
    rmSync(written, { force: true });
    writeFileSync(written, JSON.stringify(trimmed(state, nowMs)), { mode: 0o600, flag: 'wx' });
    renameSync(written, path);
    return result;
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

const LOCK_PATIENCE_MS = 1_000;
const LOCK_PAUSE_MS = 10;

async function takeLock(lock: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOCK_PAUSE_MS) {
    try {
      mkdirSync(lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (waitedMs >= LOCK_PATIENCE_MS) breakLock(lock);
    await sleep(LOCK_PAUSE_MS);
  }
}

/** Removes a lock that nobody renews: it is held for milliseconds. */
function breakLock(lock: string): void {
  try {
    if (Date.now() - statSync(lock).mtimeMs >= LOCK_PATIENCE_MS) rmdirSync(lock);
  } catch {
    // Another process has removed it.
  }
}

function readState(path: string): State {
  const read = parseObject(readOrEmpty(path));
  return {
    waiting: Array.isArray(read?.waiting) ? (read.waiting as PostedContext[]) : [],
    told: (asObject(read?.told) as State['told'] | undefined) ?? {},
    seen: (asObject(read?.seen) as State['seen'] | undefined) ?? {},
    renames: Array.isArray(read?.renames) ? read.renames.map(String) : [],
  };
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The state without what is too old to matter: the oldest go first. */
function trimmed({ waiting, told, seen, renames }: State, nowMs: number): State {
  const isFresh = (atMs: number) => atMs > nowMs - SEEN_MS;
  const recent = Object.entries(told).filter(([, { atMs }]) => isFresh(atMs));
  const folders = Object.entries(seen).map(([folder, sessions]) => {
    const fresh = Object.entries(sessions).filter(([, atMs]) => isFresh(atMs));
    return [folder, Object.fromEntries(fresh.slice(-MOST_KEPT))] as const;
  });
  return {
    waiting: waiting.slice(-MOST_WAITING),
    told: Object.fromEntries(recent.slice(-MOST_KEPT)),
    seen: Object.fromEntries(folders.filter(([, sessions]) => Object.keys(sessions).length > 0)),
    renames: renames.slice(-MOST_KEPT),
  };
}
