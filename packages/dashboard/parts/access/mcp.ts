/** Agents that ask by MCP, and how each is connected. */
export const AGENTS = {
  'claude-code': 'Claude Code',
  'claude-project': 'Claude Code, for a repository',
  cursor: 'Cursor',
  codex: 'Codex CLI',
  vscode: 'VS Code',
  stdio: 'Any agent that starts its servers itself (governor mcp)',
} as const;
export type Agent = keyof typeof AGENTS;

/** The file that the settings of an agent belong into; null for a command. */
export const MCP_FILES: Record<Agent, string | null> = {
  'claude-code': null,
  'claude-project': '.mcp.json',
  cursor: '.cursor/mcp.json',
  codex: '~/.codex/config.toml',
  vscode: '.vscode/mcp.json',
  stdio: 'the list of MCP servers of the agent',
};

const NAME = 'usage-governor';
/** The variable that holds the key, which the agent puts in where this is. */
const KEY = inBraces('GOVERNOR_API_KEY');
const KEY_OF_ENV = inBraces('env:GOVERNOR_API_KEY');

/**
 * The settings by which an agent reaches `/mcp` of this service, as docs/mcp.md has them. They read the key from
 * GOVERNOR_API_KEY, so that no file has it.
 */
export function mcpSettings(agent: Agent, origin: string): string {
  const url = `${origin}/mcp`;
  const bearer = (variable: string) => ({ Authorization: `Bearer ${variable}` });
  switch (agent) {
    case 'claude-code':
      return `claude mcp add --transport http ${NAME} ${url} --header "Authorization: Bearer ${KEY}"`;
    case 'claude-project':
      return json({ mcpServers: { [NAME]: { type: 'http', url, headers: bearer(KEY) } } });
    case 'cursor':
      return json({ mcpServers: { [NAME]: { url, headers: bearer(KEY_OF_ENV) } } });
    case 'codex':
      return `[mcp_servers.${NAME}]\nurl = "${url}"\nbearer_token_env_var = "GOVERNOR_API_KEY"`;
    case 'vscode':
      return json({ servers: { [NAME]: { type: 'http', url, headers: bearer(KEY_OF_ENV) } } });
    case 'stdio':
      return json({
        mcpServers: {
          [NAME]: {
            command: 'governor',
            args: ['mcp'],
            env: { GOVERNOR_API: origin, GOVERNOR_API_KEY: KEY },
          },
        },
      });
  }
}

function inBraces(variable: string): string {
  return `\${${variable}}`;
}

function json(settings: object): string {
  return JSON.stringify(settings, null, 2);
}
