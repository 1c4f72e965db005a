import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of the repository, wherever the command was called from. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** Node 26 as npm installed it: the one that runs this file. */
export const NODE = process.execPath;

/** Replaces the file (0600) by rename, so that a reader sees the old content or the new one, never half of it. */
export function replaceFile(file: string, content: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, file);
}

/** Replaces the file as `replaceFile` does, by this value as JSON. */
export function writePrivateJson(file: string, content: unknown): void {
  replaceFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** The folder of pushed exports in a data folder (EXPORT_FOLDER). */
export function exportsFolder(dataDir: string): string {
  return resolve(dataDir, 'exports');
}

/** Null when there is no such file. */
export function readJson(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** Creates the folder (0700: it holds credentials) and returns its absolute path. */
export function makePrivateFolder(...parts: [string, ...string[]]): string {
  const folder = resolve(join(...parts));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
