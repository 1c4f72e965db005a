import { createHash, randomUUID } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ExportFailure, type FailureCode } from '../failures.ts';
import type { Expected, ObjectStore } from './store.ts';

/** How the names of files that are being written end. */
const UNFINISHED = '.unfinished';

/**
 * A folder as a place for objects. A file is written beside its name, synchronized and renamed, so that nobody reads half of one. A
 * symbolic link below `root` is an error. Two workers that replace an object at one time are not told apart.
 */
export function folderStore(root: string): ObjectStore {
  return {
    refusesWrites: false,
    read: (key) => guarded(() => readText(root, key)),
    putFile: (key, { path }) =>
      guarded(async () => {
        const target = await prepare(root, key);
        await put(target, (beside) => copyFile(path, beside, constants.COPYFILE_EXCL), rename);
      }),
    putText: (key, text, expected) => guarded(() => putText(root, key, text, expected)),
    removeUnfinished: (folder, isOwn) => guarded(() => removeUnfinished(root, folder, isOwn)),
    list: (prefix, { isWanted = () => true } = {}) =>
      guarded(async () => {
        const keys = await listKeys(root, prefix);
        return keys.filter((key) => isWanted(key.slice(prefix.length)));
      }),
    remove: (key) =>
      guarded(async () => {
        await refuseLinks(root, key);
        await unlink(join(root, key)).catch(unless('ENOENT'));
      }),
  };
}

async function readText(root: string, key: string) {
  await refuseLinks(root, key);
  const file = await open(join(root, key), constants.O_RDONLY | constants.O_NOFOLLOW).catch(unless('ENOENT'));
  if (!file) return null;
  try {
    const text = await file.readFile('utf8');
    return { text, etag: etagOf(text) };
  } finally {
    await file.close();
  }
}

async function putText(root: string, key: string, text: string, expected: Expected): Promise<string | null> {
  const target = await prepare(root, key);
  if (typeof expected === 'object' && (await readText(root, key))?.etag !== expected.etag) return null;
  const write = (beside: string) => withFile(beside, 'wx', (file) => file.writeFile(text));
  // A link, unlike a rename, fails where the name is taken.
  const isPut = await put(target, write, expected === 'absent' ? linkThenUnlink : rename);
  return isPut ? etagOf(text) : null;
}

/** Writes beside the name, synchronizes and moves there. Returns false where the name was taken. */
async function put(
  target: string,
  write: (beside: string) => Promise<unknown>,
  move: (from: string, to: string) => Promise<void>,
): Promise<boolean> {
  const beside = `${target}.${randomUUID()}${UNFINISHED}`;
  try {
    await write(beside);
    await withFile(beside, 'r', (file) => file.sync());
    await move(beside, target);
    await withFile(dirname(target), 'r', (folder) => folder.sync());
    return true;
  } catch (error) {
    await unlink(beside).catch(unless('ENOENT'));
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function linkThenUnlink(from: string, to: string): Promise<void> {
  await link(from, to);
  await unlink(from);
}

async function withFile(path: string, flags: string, work: (file: FileHandle) => Promise<unknown>) {
  const file = await open(path, flags);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

/** Makes the folders of a key, and returns its path. */
async function prepare(root: string, key: string): Promise<string> {
  await refuseLinks(root, key);
  const target = join(root, key);
  await mkdir(dirname(target), { recursive: true });
  await refuseLinks(root, key);
  return target;
}

/** Throws `not_allowed` where the root, a folder of the key or the file itself is a symbolic link. */
async function refuseLinks(root: string, key: string): Promise<void> {
  let path = root;
  for (const part of ['', ...key.split('/')]) {
    path = join(path, part);
    const found = await lstat(path).catch(unless('ENOENT'));
    if (!found) return;
    if (found.isSymbolicLink()) throw new ExportFailure('not_allowed');
  }
}

/** Every key in the folder that the prefix names. Unfinished files of workers that died are there too. */
async function listKeys(root: string, prefix: string): Promise<string[]> {
  await refuseLinks(root, prefix);
  const found: Dirent[] =
    (await readdir(join(root, prefix), { withFileTypes: true }).catch(unless('ENOENT'))) ?? [];
  return found.filter((entry) => entry.isFile()).map(({ name }) => `${prefix}${name}`);
}

/** A file that is being written has the name that it will have, an id and an ending. */
async function removeUnfinished(root: string, folder: string, isOwn: (name: string) => boolean) {
  const unfinished = new RegExp(`^${folder.replace(/[.+]/g, '\\$&')}(.+)\\.[0-9a-f-]{36}\\${UNFINISHED}$`);
  for (const key of await listKeys(root, folder)) {
    const [, name] = unfinished.exec(key) ?? [];
    if (name !== undefined && isOwn(name)) await unlink(join(root, key)).catch(unless('ENOENT'));
  }
}

function etagOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
    return undefined;
  };
}

const CODES: Readonly<Record<string, FailureCode>> = {
  EACCES: 'access_denied',
  EPERM: 'access_denied',
  EROFS: 'access_denied',
  ELOOP: 'not_allowed',
  ENOTDIR: 'not_allowed',
  EISDIR: 'not_allowed',
};

async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ExportFailure) throw error;
    const code = codeOf(error);
    if (typeof code !== 'string') throw error;
    throw new ExportFailure(CODES[code] ?? 'unavailable', code, error);
  }
}
