import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../packages/stack/files.ts';

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const page = readText('docs/operations.md');
const declared = globSync('{api,workers,shared}/**/*.ts', { cwd: ROOT }).flatMap((file) =>
  [...readText(file).matchAll(/\bname: '(governor_[a-z_]+)'/g)].map(([, name]) => name),
);
const metricsOf = (text: string) => [...text.matchAll(/governor_[a-z_]+/g)].map(([name]) => name);

test('docs/operations.md explains every metric, and no other', () => {
  expect(declared.length).toBeGreaterThan(15);
  const [, table = ''] = /## Every metric\n([\s\S]*?)\n## /.exec(page) ?? [];
  const explained = [...table.matchAll(/^\| `(governor_[a-z_]+)`/gm)].map(([, name]) => name);
  expect(new Set(explained)).toEqual(new Set(declared));
  expect(metricsOf(page).filter((name) => !declared.includes(name))).toEqual([]);
});

test('the rules alert of what docs/operations.md says, and rules and dashboard ask for metrics that are told', () => {
  const [, alerts = ''] = /## Alerts\n([\s\S]*?)\n## /.exec(page) ?? [];
  const [rules, dashboard] = ['rules.yaml', 'dashboard.json'].map((file) =>
    metricsOf(readText(`docs/grafana/${file}`)).map((name) => name.replace(/_(bucket|count)$/, '')),
  ) as [string[], string[]];
  expect(metricsOf(alerts).filter((name) => !rules.includes(name))).toEqual([]);
  expect([...rules, ...dashboard].filter((name) => !declared.includes(name))).toEqual([]);
});

test('rules and dashboard keep budgets of one name apart', () => {
  const texts = ['rules.yaml', 'dashboard.json'].map((file) => readText(`docs/grafana/${file}`));
  const groupings = texts.flatMap((text) => [...text.matchAll(/by \(([^)]*)\) \(governor_budget/g)]);
  expect(groupings.map(([, labels]) => labels)).toEqual(
    Array.from({ length: 3 }, () => 'org, budget, name, scope, metric, window'),
  );
});

test('docs/operations.md names only settings and commands that there are', () => {
  const settings = [...page.matchAll(/`([A-Z][A-Z_]{4,}[A-Z])`/g)].map(([, name]) => name ?? '');
  const example = readText('.env.example');
  // Answers of Redis, and what terminals set.
  const others = ['MISCONF', 'READONLY', 'COLUMNS', 'NO_COLOR'];
  expect(settings.filter((name) => !example.includes(`${name}=`) && !others.includes(name))).toEqual([]);
  const paths = [...page.matchAll(/`((?:shared|scripts|docs)\/[\w./-]+\.\w+)`/g)];
  expect(paths.filter(([, path = '']) => globSync(path, { cwd: ROOT }).length === 0)).toEqual([]);
});
