import { expect, test } from 'vitest';
import { placeCalls, pullRequestsOf } from '../../../scripts/demo/branches.ts';
import { generateTraffic } from '../../../scripts/demo/traffic.ts';

const UNTIL = Date.UTC(2026, 3, 15, 12);
const USERS = Array.from({ length: 14 }, (_, index) => `u${index}`);
const placed = placeCalls('acme', generateTraffic(USERS, UNTIL, 1));
const reports = pullRequestsOf('acme', placed, UNTIL);

test('calls of coding agents have a repository and a branch, those of an application have none', () => {
  const calls = placed.filter(({ type }) => type === 'call');
  expect(calls.some(({ adapter }) => adapter === 'my-app')).toBe(true);
  for (const { adapter, project_id, repository, branch } of calls) {
    const isApp = adapter === 'my-app';
    expect(repository).toBe(isApp ? undefined : `github.com/acme/${project_id}`);
    expect(branch === undefined).toBe(isApp);
  }
});

test('every branch has one pull request, which ends after its last call', () => {
  const names = reports.map(({ repository, branch }) => `${repository} ${branch}`);
  expect(new Set(names).size).toBe(reports.length);
  const numbers = reports.map(({ repository, number }) => `${repository} ${number}`);
  expect(new Set(numbers).size).toBe(reports.length);
  for (const { ts, repository, branch } of placed.filter((signal) => signal.branch !== undefined)) {
    const report = reports[names.indexOf(`${repository} ${branch}`)];
    expect(report && Date.parse(report.opened_at)).toBeLessThanOrEqual(Date.parse(ts));
    if (report && 'closed_at' in report) expect(Date.parse(report.closed_at)).toBeGreaterThan(Date.parse(ts));
  }
});

test('some pull requests are open, some merged and some closed', () => {
  expect(new Set(reports.map(({ state }) => state))).toEqual(new Set(['open', 'merged', 'closed']));
  for (const report of reports.filter(({ state }) => state !== 'open'))
    expect(Date.parse(report.updated_at)).toBeLessThanOrEqual(UNTIL);
});
