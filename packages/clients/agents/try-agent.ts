import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey } from '../../../shared/core/accounts/keys/api-keys.ts';
import { settingsFor } from '../../../shared/core/calls/adapters/connect-settings.ts';
import { importFolder } from '../../governor/src/import-history.ts';
import { toolNamed } from '../../governor/src/readers/tools.ts';
import { sync } from '../../governor/src/sync.ts';
import { startModelServer } from '../models/model-server.ts';
import { compare } from '../trial/compare.ts';
import { runProgram } from '../trial/run-program.ts';
import {
  baseEnvironment,
  connect,
  findLeak,
  install,
  PROJECT,
  type Row,
  RUN_MS,
  readSignals,
  type Trial,
} from '../trial/trial.ts';
import { type Agent, PROMPTS } from './agents.ts';

/** Lets an agent work, and compares what was recorded; an import and a sync of its history must add nothing. */
export async function tryAgent(agent: Agent, trial: Trial): Promise<Row> {
  const modules = installAgent(agent, trial.folder);
  const home = join(trial.folder, agent.tool);
  mkdirSync(join(home, PROJECT, '.git'), { recursive: true });
  const model = await startModelServer();
  try {
    const { orgId, key } = await connect(trial, agent.tool, { scopes: ['signals:write'], isBound: true });
    const ends = await play(agent, { home, modules, modelUrl: model.url }, { api: trial.api, key });
    const signals = await readSignals(trial, orgId);
    const isSilent = agent.tool === 'codex';
    const { isRight, ...told } = compare(signals, model.calls, { hidesErrors: isSilent, hidesCache: false });
    const imported = await importAgain(agent, home, trial, orgId);
    const content = await findLeak(trial, orgId);
    const isFine = isRight && imported.startsWith('0 new') && content === 'none';
    const result = isFine ? 'right' : `WRONG (exit codes ${ends.join(', ')})`;
    return {
      client: agent.name,
      version: versionOf(agent, modules),
      ...told,
      import: imported,
      content,
      result,
    };
  } finally {
    model.close();
  }
}

/** Gives the agent each prompt; its exit codes. */
async function play(
  agent: Agent,
  { home, modules, modelUrl }: { home: string; modules: string; modelUrl: string },
  { api, key }: { api: string; key: string },
): Promise<string[]> {
  const work = join(home, PROJECT);
  const settings = settingsFor(agent.tool, { api, key, projectId: PROJECT });
  const env = { ...baseEnvironment(home), ...agent.configure({ home, work, modelUrl, modules }, settings) };
  const program = join(modules, agent.program);
  const command = program.endsWith('.js') ? [process.execPath, program] : [program];
  const ends: string[] = [];
  for (const prompt of PROMPTS) {
    const options = { cwd: work, env, timeoutMs: RUN_MS };
    const { code } = await runProgram([...command, ...agent.args(prompt)], options);
    ends.push(String(code));
  }
  return ends;
}

function installAgent({ tool, pack }: Agent, folder: string): string {
  const prefix = join(folder, `npm-${tool}`);
  mkdirSync(prefix, { recursive: true });
  install(['npm', 'install', '--prefix', prefix, '--no-audit', '--no-fund', '--ignore-scripts', pack]);
  return join(prefix, 'node_modules');
}

function versionOf({ pack }: Agent, modules: string): string {
  const file = join(modules, pack, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : '?';
}

/** Imports the agent's history over its telemetry, and syncs it: nothing may be counted again by either. */
async function importAgain(
  { history, hasSameIds }: Agent,
  home: string,
  trial: Trial,
  orgId: string,
): Promise<string> {
  const { api, stage } = trial;
  const before = (await readSignals(trial, orgId)).length;
  const scopes = ['signals:write', 'usage:read'] as const;
  const { key } = await createApiKey(stage.ctx, { org_id: orgId, scopes: [...scopes], user_id: 'ada' });
  const tool = toolNamed(history.tool);
  const source = join(home, history.folder);
  const now = () => stage.ctx.clock.now();
  const report = await importFolder(tool, source, { api, apiKey: key, nowMs: now() });
  await sync({
    api,
    apiKey: key,
    tools: [{ tool, folders: [source] }],
    cursorFile: join(home, 'sync.json'),
    now,
    everyMs: 1_000,
    once: true,
    onReport: () => undefined,
    onAway: () => undefined,
  });
  const added = (await readSignals(trial, orgId)).length - before;
  const untold = report.left_out['since OpenTelemetry tells it'] ?? 0;
  return `${added} new, ${hasSameIds ? `${report.duplicates} known` : `${untold} left out`}`;
}
