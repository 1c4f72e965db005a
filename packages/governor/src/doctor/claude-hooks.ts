import { join } from 'node:path';
import { asObject, type Json } from '../readers/history.ts';
import {
  type AskingHook,
  asObjects,
  isAskingCommand,
  type Machine,
  readSettings,
  type Settings,
} from './hook.ts';

const MANAGED_FOLDERS = ['/etc/claude-code', '/Library/Application Support/ClaudeCode'];

/** Finds what Claude Code would ask (https://code.claude.com/docs/en/hooks). Throws for a settings file that is no JSON. */
export function findClaudeHooks(machine: Machine): AskingHook[] {
  const { home, cwd, env } = machine;
  const managed = readSettings(MANAGED_FOLDERS.map((folder) => join(folder, 'managed-settings.json')));
  const own = readSettings([
    join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.local.json'),
  ]);
  const all = [...managed, ...own];
  const isManagedOnly = managed.some(({ content }) => content.allowManagedHooksOnly === true);
  return all.flatMap((settings) => {
    const ignored =
      isManagedOnly && own.includes(settings)
        ? 'Managed settings allow managed hooks only (allowManagedHooksOnly): add the hook there.'
        : null;
    return hooksOf(settings, ignored ?? switchedOff(all), { machine, all });
  });
}

function switchedOff(all: readonly Settings[]): string | null {
  const off = all.find(({ content }) => content.disableAllHooks === true);
  return off ? `Hooks are switched off by disableAllHooks in ${off.file}.` : null;
}

interface Around {
  readonly machine: Machine;
  readonly all: readonly Settings[];
}

function hooksOf({ file, content }: Settings, obstacle: string | null, around: Around): AskingHook[] {
  return Object.entries(asObject(content.hooks) ?? {}).flatMap(([event, groups]) =>
    asObjects(groups).flatMap(({ matcher, hooks }) =>
      asObjects(hooks).flatMap((hook) => {
        const asks = asksOf(hook, around);
        if (!asks) return [];
        return [
          { event, file, asks, obstacle: obstacle ?? matcherObstacle(matcher) ?? urlObstacle(asks, around) },
        ];
      }),
    ),
  );
}

function asksOf(hook: Json, around: Around): AskingHook['asks'] | null {
  if (isAskingCommand(hook.command)) return { command: hook.command };
  const { url } = hook;
  if (hook.type !== 'http' || typeof url !== 'string' || !/\/hooks\/claude-code\b/.test(url)) return null;
  return { url, headers: headersOf(hook, around) };
}

/** The headers as Claude Code sends them: a variable that the settings do not allow, or that is not set, is empty. */
function headersOf(hook: Json, { machine, all }: Around): Record<string, string> {
  const limits = listsOf(all, 'httpHookAllowedEnvVars');
  const allowed = textsOf(hook.allowedEnvVars).filter((name) => limits === null || limits.includes(name));
  const expand = (value: string) =>
    value.replace(/\$\{(\w+)\}|\$(\w+)/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return allowed.includes(name) ? (machine.env[name] ?? '') : '';
    });
  const entries = Object.entries(asObject(hook.headers) ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, expand(String(value))]));
}

function matcherObstacle(matcher: unknown): string | null {
  if (matcher === undefined || matcher === '' || matcher === '*') return null;
  return `It is asked for ${JSON.stringify(matcher)} only: leave the matcher out.`;
}

function urlObstacle(asks: AskingHook['asks'], { all }: Around): string | null {
  const patterns = listsOf(all, 'allowedHttpHookUrls');
  if (!('url' in asks) || patterns === null) return null;
  const isAllowed = patterns.some((pattern) => wildcard(pattern).test(asks.url));
  return isAllowed ? null : `allowedHttpHookUrls does not allow ${asks.url}.`;
}

function wildcard(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** All texts that settings files list under a name; null when no file has that list. */
function listsOf(all: readonly Settings[], name: string): string[] | null {
  const lists = all.filter(({ content }) => Array.isArray(content[name]));
  return lists.length === 0 ? null : lists.flatMap(({ content }) => textsOf(content[name]));
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
