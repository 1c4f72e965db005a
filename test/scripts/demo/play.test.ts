import { afterAll, expect, test } from 'vitest';
import { readDemo, writeDemo } from '../../../scripts/demo/file.ts';
import { playDemoTraffic } from '../../../scripts/demo/play.ts';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import { isoTime } from '../../../shared/platform/basics/clock.ts';
import { DAY_MS } from '../../../shared/platform/basics/interval.ts';
import { fixture } from '../../support/fixture.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { api, ctx, orgId, key, ask } = await fixture();
const dataDir = temporaryFolder(afterAll);

const play = () => playDemoTraffic(api.url, dataDir, AbortSignal.timeout(60_000));

test('a play that was interrupted begins anew when its days have become too old, and ends', async () => {
  const person = { user_id: 'ada', email: 'ada@example.org', name: 'Ada', role: 'admin', teams: [] } as const;
  const members = [{ ...person, teams: [], session_token: null, mcp_token: null, device: null }];
  const org = { org_id: orgId, name: 'Acme', plan: 'team', api_key: key, members } as const;
  const until = isoTime(ctx.clock.now() - 10 * DAY_MS);
  writeDemo(dataDir, { orgs: [{ ...org, members }], traffic: { until, played: false } });
  expect(await play()).toBe(true);
  expect(readDemo(dataDir)?.traffic?.played).toBe(true);
  expect(await signalRows(ctx).countDocuments({ org_id: orgId })).toBeGreaterThan(100);
  expect(await play()).toBe(false);
  const listed = await ask('/api/v1/pull-requests');
  expect(listed.data.map(({ state }: { state: string }) => state)).toContain('merged');
  const from = isoTime(ctx.clock.now() - 31 * DAY_MS);
  const usage = await ask(`/api/v1/usage?from=${from}&group_by=pull_request`);
  const onNone = usage.groups.find(({ key: of }: { key: { pull_request: unknown } }) => !of.pull_request);
  expect(usage.totals.cost_usd).toBeGreaterThan(0);
  expect(onNone?.cost_usd ?? 0).toBe(0);
});
