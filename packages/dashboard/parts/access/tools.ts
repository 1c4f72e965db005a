import { type Connectable, settingsFor } from '../../../../shared/core/calls/adapters/connect-settings.ts';
import { nodeProgram, pythonProgram, signalsCommand } from './programs.ts';

export const TOOLS = {
  'claude-code': 'Claude Code',
  codex: 'Codex CLI',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  copilot: 'GitHub Copilot CLI',
  opencode: 'OpenCode',
  litellm: 'LiteLLM',
  otel: 'An application with OpenTelemetry',
  signals: 'A program of yours, by HTTP',
} as const satisfies Record<Connectable | 'signals', string>;
export type Tool = keyof typeof TOOLS;

/** The forms in which settings are shown. */
export const FORMS = {
  shell: 'Shell (macOS, Linux)',
  powershell: 'PowerShell (Windows)',
  managed: 'Managed settings (JSON)',
  toml: 'Configuration file (TOML)',
  curl: 'curl',
  python: 'Python',
  node: 'Node.js',
} as const;
export type Form = keyof typeof FORMS;

/** The forms of a tool's settings; the first one is the usual one. */
export function formsOf(tool: Tool): readonly [Form, ...Form[]] {
  if (tool === 'signals') return ['curl', 'python', 'node'];
  if (tool === 'codex') return ['toml'];
  return tool === 'claude-code' ? ['shell', 'powershell', 'managed'] : ['shell', 'powershell'];
}

/** The line above a tool's settings, for tools that read them from a file. */
const NOTES: Partial<Record<Tool, string>> = {
  codex: '# ~/.codex/config.toml',
  opencode: '# opencode.json: "experimental": { "openTelemetry": true }',
  litellm: '# config.yaml, litellm_settings: callbacks: ["otel"]',
};
/** The command that starts a tool in the shell that has its settings. */
const COMMANDS: Partial<Record<Tool, string>> = {
  'claude-code': 'claude',
  gemini: 'gemini',
  qwen: 'qwen',
  copilot: 'copilot',
  opencode: 'opencode',
};

interface Target {
  /** The address of this service. */
  origin: string;
  /** An API key. */
  key: string;
  /** True when a hook asks before each call whether its budgets allow it. */
  asks: boolean;
  /** True when calls stop while this service does not answer, or does not know the key. */
  stops: boolean;
  /** Null when the key is bound to its user; else each record names one, such as this. */
  userId: string | null;
}

/** The settings of a tool, ready to paste. */
export function pasteFor(tool: Tool, form: Form, target: Target): string {
  const { origin, key } = target;
  if (tool === 'signals') {
    if (form === 'python') return pythonProgram(origin, key, target.userId);
    return form === 'node'
      ? nodeProgram(origin, key, target.userId)
      : signalsCommand(origin, key, target.userId);
  }
  const settings = settingsFor(tool, { api: origin, key });
  if (form === 'managed') return managedSettings(settings, target);
  const asked = target.asks && tool === 'claude-code' ? [...settings, `GOVERNOR_API_KEY=${key}`] : settings;
  const lines = form === 'toml' ? asked : asked.map((line) => setVariable(line, form));
  return [NOTES[tool], ...lines, COMMANDS[tool]].filter((line) => line !== undefined).join('\n');
}

function setVariable(line: string, form: Form): string {
  if (form !== 'powershell') return `export ${line}`;
  const at = line.indexOf('=');
  return `$env:${line.slice(0, at)} = '${line.slice(at + 1)}'`;
}

/** `managed-settings.json` of Claude Code (https://code.claude.com/docs/en/settings). */
function managedSettings(settings: readonly string[], { origin, key, asks, stops }: Target): string {
  const given = asks ? [...settings, `GOVERNOR_API_KEY=${key}`] : settings;
  const env = Object.fromEntries(
    given.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  return JSON.stringify({ env, ...(asks ? { hooks: hooksFor(origin, stops) } : {}) }, null, 2);
}

/** The hooks by which Claude Code asks (docs/budgets.md). They read the key from GOVERNOR_API_KEY. */
export function hooksFor(origin: string, stops: boolean): Record<string, unknown> {
  const hook = {
    type: 'http',
    url: `${origin}/hooks/claude-code`,
    timeout: 5,
    ...(stops ? { onFailure: 'block' } : {}),
    headers: { Authorization: 'Bearer $GOVERNOR_API_KEY' },
    allowedEnvVars: ['GOVERNOR_API_KEY'],
  };
  return { UserPromptSubmit: [{ hooks: [hook] }], PreToolUse: [{ hooks: [hook] }] };
}

/** The paths of the managed settings, by system. */
export const MANAGED_PATHS = [
  ['Linux and WSL', '/etc/claude-code/managed-settings.json'],
  ['macOS', '/Library/Application Support/ClaudeCode/managed-settings.json'],
  ['Windows', 'C:\\Program Files\\ClaudeCode\\managed-settings.json'],
] as const;
