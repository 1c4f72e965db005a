import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';
import type { Found, Tool } from './readers/history.ts';
import { rowsOf } from './readers/opencode.ts';

export interface HistoryFile {
  path: string;
  size: number;
  /** When its content, its name or who may read it changed last, in epoch milliseconds. */
  changedMs: number;
}

export interface FolderContent {
  files: HistoryFile[];
  /** Folders that cannot be read. */
  unreadable: number;
}

/**
 * The tool's history below folders: the tool's home, what lies in it, or a folder further down. In order of folder and path;
 * Codex's archived files come last. Throws when one of the folders itself cannot be read.
 */
export async function findHistory(tool: Tool, folders: readonly string[]): Promise<FolderContent> {
  const content: FolderContent = { files: [], unreadable: 0 };
  const paths: string[] = [];
  for (const folder of folders) {
    // A tool's setting may name a file itself, by any name.
    if ((await stat(folder)).isFile()) {
      paths.push(folder);
      continue;
    }
    const below = await listFiles(folder, content);
    // A folder further down has lost what comes before it.
    const isHistory = (path: string) =>
      tool.isHistory(slashed(relative(folder, path))) || tool.isHistory(slashed(path));
    paths.push(...below.filter(isHistory).sort());
  }
  const seen = new Set<string>();
  for (const path of archivedLast(paths)) {
    const name = archiveName(path);
    if (seen.has(name)) continue;
    seen.add(name);
    // A tool may have moved or deleted a file meanwhile.
    const found = await stat(path).catch(() => null);
    if (found) content.files.push({ path, size: found.size, changedMs: found.ctimeMs });
  }
  return content;
}

async function listFiles(folder: string, content: FolderContent): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) paths.push(path);
    if (!entry.isDirectory()) continue;
    try {
      paths.push(...(await listFiles(path, content)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') content.unreadable += 1;
    }
  }
  return paths;
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

function archivedLast(paths: readonly string[]): string[] {
  const isArchived = (path: string) => path.includes('archived_');
  return [...paths.filter((path) => !isArchived(path)), ...paths.filter(isArchived)];
}

/** Codex keeps one rollout as active or archived, plain or compressed. */
function archiveName(path: string): string {
  return basename(path).startsWith('rollout-') ? basename(path).replace(/\.zst$/, '') : path;
}

/** The reason for a file that cannot be read to its end. */
export const UNREADABLE = 'a file that cannot be read';

/** The calls of a file, in order, and a reason when it cannot be read to its end. */
export async function readHistory(tool: Tool, path: string): Promise<Found[]> {
  const reader = tool.open(path);
  const found: Found[] = [];
  try {
    for await (const lines of linesOf(tool, path)) for (const line of lines) found.push(...reader.line(line));
    found.push(...reader.end());
  } catch {
    found.push({ leftOut: UNREADABLE });
  }
  return found.map((item) => ('call' in item ? { call: { ...item.call, file: path } } : item));
}

/** The lines of a history file, decompressed; a database's rows and a whole document are one line each. */
async function* linesOf(tool: Tool, path: string): AsyncGenerator<string[]> {
  if (path.endsWith('.db')) {
    for await (const row of rowsOf(path)) yield [row];
  } else if (tool.isWhole?.(path)) {
    yield [readFileSync(path, 'utf8')];
  } else {
    const file = createReadStream(path);
    // The reader of lines sees how it ends.
    yield* splitLines(
      path.endsWith('.zst') ? pipeline(file, zlib.createZstdDecompress(), () => undefined) : file,
    );
  }
}

/**
 * The lines of a text as they arrive, some at a time. A line ends at LF alone: in JSON a CR after it is a blank, and U+2028 may
 * stand in a text, at which Node's own reader of lines would cut it.
 */
export async function* splitLines(input: Readable): AsyncGenerator<string[]> {
  let rest = '';
  for await (const chunk of input.setEncoding('utf8') as AsyncIterable<string>) {
    const end = chunk.lastIndexOf('\n');
    if (end >= 0) yield (rest + chunk.slice(0, end)).split('\n');
    rest = end >= 0 ? chunk.slice(end + 1) : rest + chunk;
  }
  if (rest !== '') yield [rest];
}

const projects = new Map<string, string | undefined>();

/** The name of the repository that a folder lies in, or of the folder itself; the root of a disk has none. */
export function projectOf(cwd: string): string | undefined {
  if (projects.has(cwd)) return projects.get(cwd);
  // A path of Windows is not absolute here.
  const root = isAbsolute(cwd) ? repositoryOf(cwd) : null;
  const project = (root ?? cwd).split(/[\\/]/).findLast((part) => part !== '');
  projects.set(cwd, project);
  return project;
}

function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  return dirname(folder) === folder ? null : repositoryOf(dirname(folder));
}
