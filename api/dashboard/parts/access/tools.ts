import { type Connectable, settingsFor } from '../../../../shared/adapters/connect-settings.ts';

export const TOOLS = {
  'claude-code': 'Claude Code',
  codex: 'Codex CLI',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  copilot: 'GitHub Copilot CLI',
  opencode: 'OpenCode',
  litellm: 'LiteLLM',
  otel: 'An application with OpenTelemetry',
  signals: 'Anything else, by HTTP',
} as const satisfies Record<Connectable | 'signals', string>;
export type Tool = keyof typeof TOOLS;

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

/** The settings of a tool, ready to paste. `origin` is the address of this service, `key` an API key. */
export function pasteFor(tool: Tool, origin: string, key: string): string {
  if (tool === 'signals') return signalsCommand(origin, key);
  const settings = settingsFor(tool, { api: origin, key });
  const lines = tool === 'codex' ? settings : settings.map((line) => `export ${line}`);
  return [NOTES[tool], ...lines, COMMANDS[tool]].filter((line) => line !== undefined).join('\n');
}

function signalsCommand(origin: string, key: string): string {
  return `curl ${origin}/api/v1/signals \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "id": "call-1",
    "ts": "'$(date -u +%FT%TZ)'",
    "adapter": "curl",
    "model": "gpt-4o-mini",
    "provider": "openai",
    "tokens_in": 100,
    "tokens_out": 10
  }'`;
}
