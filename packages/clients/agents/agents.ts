import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connectable } from '../../../shared/core/calls/adapters/connect-settings.ts';
import { FAIL, MARKS, USE_TOOL } from '../models/ledger.ts';

type Environment = Record<string, string>;

/** The place where an agent runs: a home and a working folder of its own, and the model's address. */
export interface Place {
  home: string;
  work: string;
  modelUrl: string;
  /** The folder in which npm has installed the packages. */
  modules: string;
}

/** A published coding agent: how it is installed, configured and run. */
export interface Agent {
  name: string;
  /** The name that `governor connect` gives it. */
  tool: Connectable;
  /** npm's name of the package. */
  pack: string;
  /** The program below `node_modules`; a script of Node ends with `.js`. */
  program: string;
  /** Writes what the agent needs beside its variables, which come back. `settings` are lines of `governor connect`. */
  configure: (place: Place, settings: readonly string[]) => Environment;
  args: (prompt: string) => string[];
  /** The name under which `governor import` knows it, and the folder of its history below the home. */
  history: { tool: string; folder: string };
  /** True when history holds every call that telemetry has, under the same ids. */
  hasSameIds: boolean;
}

/** A call with a tool, and one that fails. */
export const PROMPTS = [`${USE_TOOL} ${MARKS.prompt}`, `${FAIL} ${MARKS.prompt}`];

/** `NAME=value` lines as variables. */
function variables(settings: readonly string[]): Environment {
  return Object.fromEntries(
    settings.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

function write(folder: string, file: string, content: string | object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
}

export const AGENTS: readonly Agent[] = [
  {
    name: 'Claude Code',
    tool: 'claude-code',
    pack: '@anthropic-ai/claude-code',
    program: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    configure: ({ modelUrl }, settings) => ({
      ...variables(settings),
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    args: (prompt) => ['-p', prompt, '--model', 'claude-sonnet-4-5', '--allowedTools', 'Bash'],
    history: { tool: 'claude-code', folder: '.claude' },
    hasSameIds: true,
  },
  {
    name: 'Codex',
    tool: 'codex',
    pack: '@openai/codex',
    program: '@openai/codex/bin/codex.js',
    configure: ({ home, modelUrl }, settings) => {
      const lines = [
        'model = "gpt-5"',
        'model_provider = "mock"',
        'check_for_update_on_startup = false',
        '[model_providers.mock]',
        'name = "mock"',
        `base_url = "${modelUrl}/v1"`,
        'env_key = "MOCK_KEY"',
        'wire_api = "responses"',
        'request_max_retries = 0',
        'stream_max_retries = 0',
      ];
      write(join(home, '.codex'), 'config.toml', [...lines, ...settings].join('\n'));
      return { MOCK_KEY: 'none' };
    },
    args: (prompt) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    history: { tool: 'codex', folder: '.codex' },
    hasSameIds: false,
  },
  {
    name: 'Gemini CLI',
    tool: 'gemini',
    pack: '@google/gemini-cli',
    program: '@google/gemini-cli/bundle/gemini.js',
    configure: ({ home, modelUrl }, settings) => {
      write(join(home, '.gemini'), 'settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      });
      return { ...variables(settings), GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: modelUrl };
    },
    args: (prompt) => ['-p', prompt, '-m', 'gemini-2.5-pro', '--yolo', '--skip-trust'],
    history: { tool: 'gemini', folder: '.gemini' },
    hasSameIds: false,
  },
  {
    name: 'Qwen Code',
    tool: 'qwen',
    pack: '@qwen-code/qwen-code',
    program: '@qwen-code/qwen-code/cli-entry.js',
    configure: ({ modelUrl }, settings) => ({
      ...variables(settings),
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_MODEL: 'qwen3-coder-plus',
    }),
    args: (prompt) => ['--auth-type', 'openai', '-p', prompt, '--yolo'],
    history: { tool: 'qwen', folder: '.qwen' },
    hasSameIds: false,
  },
  {
    name: 'GitHub Copilot CLI',
    tool: 'copilot',
    pack: '@github/copilot',
    program: `@github/copilot-${process.platform}-${process.arch}/copilot`,
    configure: ({ modelUrl }, settings) => ({
      ...variables(settings),
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_TYPE: 'anthropic',
      COPILOT_PROVIDER_BASE_URL: modelUrl,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'claude-sonnet-4-5',
    }),
    args: (prompt) => ['-p', prompt, '--allow-all-tools'],
    history: { tool: 'copilot', folder: '.copilot' },
    hasSameIds: true,
  },
  {
    name: 'opencode',
    tool: 'opencode',
    pack: 'opencode-ai',
    program: `opencode-${process.platform}-${process.arch}/bin/opencode`,
    configure: ({ work, modelUrl }, settings) => {
      write(work, 'opencode.json', {
        autoupdate: false,
        share: 'disabled',
        model: 'anthropic/claude-sonnet-4-5',
        small_model: 'anthropic/claude-haiku-4-5',
        experimental: { openTelemetry: true },
        provider: { anthropic: { options: { baseURL: `${modelUrl}/v1`, apiKey: 'none' } } },
      });
      return { ...variables(settings), OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' };
    },
    args: (prompt) => ['run', prompt],
    history: { tool: 'opencode', folder: '.local/share/opencode' },
    hasSameIds: false,
  },
];
