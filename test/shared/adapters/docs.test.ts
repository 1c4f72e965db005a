import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { httpSeconds } from '../../../api/basics/metrics.ts';
import { CONNECTABLE, settingsFor } from '../../../shared/adapters/connect-settings.ts';
import { createMetrics } from '../../../shared/platform/basics/metrics.ts';
import { registerMetrics } from '../../../shared/tables/metrics.ts';

const guide = readFileSync('docs/adapters.md', 'utf8');

it.each(CONNECTABLE)('docs/adapters.md has the settings of %s that governor connect prints', (tool) => {
  const blocks = guide.split('```').filter((_, index) => index % 2 === 1);
  const lines = settingsFor(tool, { api: 'https://HOST', key: 'KEY' });
  expect(blocks.some((block) => block.includes(`\n${lines.join('\n')}\n`))).toBe(true);
});

it.each(['dashboard.json', 'rules.yaml'])('docs/grafana/%s asks for metrics that are told', (file) => {
  const text = readFileSync(`docs/grafana/${file}`, 'utf8');
  const asked = new Set(text.match(/governor_[a-z_]+/g));
  const own = ['shared/usage/gauges.ts', 'shared/budgets/gauges.ts'].map((path) =>
    readFileSync(path, 'utf8'),
  );
  const told = new Set(own.join().match(/governor_[a-z_]+/g));
  const metrics = createMetrics({ defaults: false });
  const { registry } = metrics;
  registerMetrics({ metrics });
  httpSeconds({ metrics });
  for (const { name } of registry.getMetricsAsArray()) told.add(name).add(`${name}_count`);
  expect(asked.size).toBeGreaterThan(3);
  expect([...asked].filter((name) => !told.has(name))).toEqual([]);
});

it('the dashboard is one that Grafana imports: panels with ids of their own on one source', () => {
  const { panels, templating } = JSON.parse(readFileSync('docs/grafana/dashboard.json', 'utf8'));
  expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
  expect(templating.list.map(({ name }: { name: string }) => name)).toEqual(['datasource', 'org']);
  for (const { targets } of panels) expect(targets[0].datasource.uid).toBe(`\${datasource}`);
});
