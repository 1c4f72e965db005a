import { join } from 'node:path';
import { asObject } from '../readers/history.ts';
import { findClaudeHooks } from './claude-hooks.ts';
import { findCodexHooks } from './codex-hooks.ts';
import {
  type AskingHook,
  asObjects,
  isAskingCommand,
  type Machine,
  readSettings,
  settingsObstacle,
} from './hook.ts';

export interface Agent {
  readonly name: string;
  /** The folder that exists once somebody has used it. */
  readonly folder: (machine: Machine) => string;
  /** The events that must ask, so that neither a prompt nor a tool passes; empty when we have no hook for this agent. */
  readonly events: readonly string[];
  readonly findHooks: (machine: Machine) => AskingHook[] | Promise<AskingHook[]>;
}

const below =
  (name: string) =>
  ({ home }: Machine) =>
    join(home, name);
const without = (name: string, folder: string): Agent => ({
  name,
  folder: below(folder),
  events: [],
  findHooks: () => [],
});

/** The agents that usage-governor knows by their telemetry or their hooks. */
export const AGENTS: readonly Agent[] = [
  {
    name: 'Claude Code',
    folder: ({ home, env }) => env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
    events: ['UserPromptSubmit', 'PreToolUse'],
    findHooks: findClaudeHooks,
  },
  {
    name: 'Codex',
    folder: ({ home, env }) => env.CODEX_HOME || join(home, '.codex'),
    events: ['userPromptSubmit', 'preToolUse'],
    findHooks: findCodexHooks,
  },
  { name: 'Cursor', folder: below('.cursor'), events: ['preToolUse'], findHooks: findCursorHooks },
  without('Gemini CLI', '.gemini'),
  without('Qwen Code', '.qwen'),
  without('GitHub Copilot', '.copilot'),
  without('opencode', '.local/share/opencode'),
];

/** Finds what Cursor would ask (https://cursor.com/docs/agent/hooks). Throws for a settings file that is no JSON. */
function findCursorHooks({ home, cwd }: Machine): AskingHook[] {
  const files = ['/etc/cursor', join(home, '.cursor'), join(cwd, '.cursor')].map((folder) =>
    join(folder, 'hooks.json'),
  );
  return readSettings([...new Set(files)]).flatMap(({ file, content }) =>
    Object.entries(asObject(content.hooks) ?? {}).flatMap(([event, hooks]) =>
      asObjects(hooks).flatMap(({ command, matcher, timeout: timeoutS }) =>
        isAskingCommand(command)
          ? [{ event, file, asks: { command }, obstacle: settingsObstacle({ matcher, timeoutS }) }]
          : [],
      ),
    ),
  );
}
