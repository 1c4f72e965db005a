import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type Target, type TargetFlags, targetOf, withTarget } from './api/target.ts';
import { type Collection, collect, startCollection } from './collect.ts';
import { type ImportOptions, type ImportReport, importCollection, importFolder } from './import-history.ts';
import { startProgress, withProgress } from './progress.ts';
import { splitLines } from './read-folder.ts';
import { readCcusage, readNdjsonLine } from './readers/exported.ts';
import type { Tool } from './readers/history.ts';
import { TOOLS, toolNamed } from './readers/tools.ts';
import { sync } from './sync.ts';

/** The environment of a command. */
export interface Env extends Target {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Prints a report: one JSON object or lines for people. */
  readonly print: (report: Record<string, unknown>) => void;
}

interface HistoryFlags extends TargetFlags {
  userId?: string;
  projectId?: string;
  events?: boolean;
}

/** `import` and `sync`: the history that coding agents keep on this machine. */
export function addHistoryCommands(program: Command, around: Env): void {
  const names = [...TOOLS.map(({ name }) => name), 'ccusage', 'ndjson'].join(', ');
  withHistory(
    program
      .command('import <tool> <path>')
      .description(`Send history once; tool is one of ${names}; path a folder, or a file for the last two`),
  ).action(async (name: string, path: string, flags: HistoryFlags) => {
    const report = await withProgress(around, ({ update }) =>
      importFrom(name, path, { ...optionsOf(flags, around), nowMs: around.now(), onProgress: update }),
    );
    printReport(report, around);
  });
  withHistory(
    program
      .command('sync')
      .description('Send history of all known tools, and go on sending what is new')
      .option('--tool <name...>', 'only these', collectTool)
      .option('--once', 'end after one look')
      .option('--every <seconds>', 'between two looks', parseSeconds, 30)
      .option('--cursor <file>', 'where it keeps what it has sent'),
  ).action((flags: SyncFlags) => runSync(flags, around));
}

function withHistory(command: Command): Command {
  return withTarget(command, 'signals:write')
    .option('--user-id <id>', 'whose history it is; a key that is bound to a user needs none')
    .option('--project-id <id>', 'default: the name of the repository')
    .option('--events', 'let old calls raise webhooks, budget events and anomalies, as if they came now');
}

function optionsOf(flags: HistoryFlags, around: Env) {
  const { userId, projectId: project, events = false } = flags;
  return { ...targetOf(flags, around), userId, project, events };
}

/** Refused signals are not counted, so a script must see an exit code. */
function printReport(report: ImportReport & { tool?: string }, { print }: Env): void {
  print({ ...report });
  if (report.rejected > 0) process.exitCode = 1;
}

async function importFrom(name: string, path: string, options: ImportOptions): Promise<ImportReport> {
  if (name === 'ccusage') {
    const collection = startCollection();
    collect(collection, readCcusage(readFileSync(path, 'utf8')));
    return importCollection(collection, options);
  }
  if (name === 'ndjson') return importCollection(await readNdjson(path), options);
  return importFolder(toolNamed(name), path, options);
}

async function readNdjson(path: string): Promise<Collection> {
  const collection = startCollection();
  for await (const lines of splitLines(createReadStream(path)))
    for (const line of lines) collect(collection, readNdjsonLine(line));
  return collection;
}

interface SyncFlags extends HistoryFlags {
  tool?: Tool[];
  once?: boolean;
  every: number;
  cursor?: string;
}

async function runSync(flags: SyncFlags, around: Env): Promise<void> {
  const { env } = around;
  const home = homedir();
  const settings = env.XDG_CONFIG_HOME || join(home, '.config');
  const tools = (flags.tool ?? TOOLS).map((tool) => ({ tool, folders: tool.homes(home, env) }));
  const folders = tools.flatMap((watched) => watched.folders);
  if (!folders.some((folder) => existsSync(folder)))
    console.error(`governor: There is no history yet. Looked for ${folders.join(', ')}.`);
  let progress = startProgress(around);
  await sync({
    ...optionsOf(flags, around),
    tools,
    cursorFile: flags.cursor ?? join(settings, 'usage-governor', 'sync.json'),
    now: around.now,
    everyMs: flags.every * 1_000,
    once: flags.once === true,
    onProgress: (done, total) => progress.update(done, total),
    onReport: (tool, report) => {
      restart();
      printReport({ tool, ...report }, around);
    },
    onAway: (message) => {
      restart();
      console.error(`governor: ${message}. Trying again.`);
    },
  }).finally(restart);

  /** Each round has a bar of its own. */
  function restart(): void {
    progress.end();
    progress = startProgress(around);
  }
}

function collectTool(value: string, before: Tool[] = []): Tool[] {
  const tool = TOOLS.find(({ name }) => name === value);
  if (!tool) throw new InvalidArgumentError(`It is one of ${TOOLS.map(({ name }) => name).join(', ')}.`);
  return [...before, tool];
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (!(seconds >= 1 && seconds <= 86_400)) throw new InvalidArgumentError('It must be 1 to 86400 seconds.');
  return seconds;
}
