import { expect, test } from 'vitest';
import { parseAzureTrace } from '../../../../scripts/traffic/trace.ts';
import { readTrace } from '../../../support/trace.ts';
import { runTrace } from '../../../support/trace-sessions.ts';

const calls = parseAzureTrace(readTrace({ calls: 8_800 }));

test.each([
  { users: 5, timeoutS: 3 },
  { users: 10, timeoutS: 5 },
  { users: 20, timeoutS: 20 },
  { users: 40, timeoutS: 45 },
  { users: 80, timeoutS: 60 },
  { users: 160, timeoutS: 90 },
])('$users users, cut at $timeoutS s: every planted spike is found, with at most 2 % false alarms', (cut) => {
  const result = runTrace(calls, { ...cut, times: 10, every: 23 });
  if (process.env.TRACE_FILE) console.log(JSON.stringify(result));
  expect(result.planted).toBeGreaterThanOrEqual(15);
  expect(result.found).toBe(result.planted);
  expect(result.falseAlarms / (result.sessions - result.planted)).toBeLessThanOrEqual(0.02);
});
