import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONNECTABLE, settingsFor } from '../../../../../shared/core/calls/adapters/connect-settings.ts';

const guide = readFileSync('docs/adapters.md', 'utf8');

it.each(CONNECTABLE)('docs/adapters.md has the settings of %s that governor connect prints', (tool) => {
  const blocks = guide.split('```').filter((_, index) => index % 2 === 1);
  const lines = settingsFor(tool, { api: 'https://HOST', key: 'KEY' });
  expect(blocks.some((block) => block.includes(`\n${lines.join('\n')}\n`))).toBe(true);
});

it('the dashboard is one that Grafana imports: panels with ids of their own on one source', () => {
  const { panels, templating } = JSON.parse(readFileSync('docs/grafana/dashboard.json', 'utf8'));
  expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
  expect(templating.list.map(({ name }: { name: string }) => name)).toEqual(['datasource', 'org']);
  for (const { targets } of panels) expect(targets[0].datasource.uid).toBe(`\${datasource}`);
});
