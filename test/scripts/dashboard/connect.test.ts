import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  BRANCH_WAYS,
  type BranchWay,
  branchSettings,
} from '../../../packages/dashboard/parts/access/branches.ts';
import { AGENTS, type Agent, mcpSettings } from '../../../packages/dashboard/parts/access/mcp.ts';

/** The blocks of a page, with JSON in one form. */
function fencesOf(page: string): string[] {
  const text = readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8');
  return [...text.matchAll(/```\w*\n([\s\S]*?)\n```/g)].map(([, fence = '']) => plain(fence.trim()));
}
const plain = (text: string) => (text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : text);

const connecting = fencesOf('mcp').filter((text) =>
  /claude mcp add|mcp_servers|mcpServers|"servers"/.test(text),
);

test.each(Object.keys(AGENTS) as Agent[])('Connect and docs/mcp.md show the same settings: %s', (agent) => {
  expect(connecting).toContain(plain(mcpSettings(agent, 'https://governor.example.com')));
});

test('Connect shows every way of docs/mcp.md', () => {
  expect(connecting).toHaveLength(Object.keys(AGENTS).length);
});

test.each(Object.keys(BRANCH_WAYS) as BranchWay[])(
  'Connect and docs/attribution.md show the same settings for branches: %s',
  (way) => {
    expect(fencesOf('attribution')).toContain(plain(branchSettings(way)));
  },
);
