import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  BRANCH_WAYS,
  type BranchWay,
  branchSettings,
} from '../../../packages/dashboard/parts/access/branches.ts';
import { AGENTS, type Agent, mcpSettings } from '../../../packages/dashboard/parts/access/mcp.ts';

const DOCS = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
const fences = [...DOCS.matchAll(/```\w*\n([\s\S]*?)\n```/g)].map(([, text = '']) => text.trim());
const connecting = fences.filter((text) => /claude mcp add|mcp_servers|mcpServers|"servers"/.test(text));

test.each(Object.keys(AGENTS) as Agent[])('Connect and docs/mcp.md show the same settings: %s', (agent) => {
  const shown = mcpSettings(agent, 'https://governor.example.com');
  const plain = (text: string) => (text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : text);
  expect(connecting.map(plain)).toContain(plain(shown));
});

test('Connect shows every way of docs/mcp.md', () => {
  expect(connecting).toHaveLength(Object.keys(AGENTS).length);
});

const TELLING = readFileSync(new URL('../../../docs/attribution.md', import.meta.url), 'utf8');

test.each(Object.keys(BRANCH_WAYS) as BranchWay[])(
  'Connect and docs/attribution.md show the same settings for branches: %s',
  (way) => {
    const told = [...TELLING.matchAll(/```\w*\n([\s\S]*?)\n```/g)].map(([, text = '']) => text.trim());
    const plain = (text: string) => (text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : text);
    expect(told.map(plain)).toContain(plain(branchSettings(way)));
  },
);
