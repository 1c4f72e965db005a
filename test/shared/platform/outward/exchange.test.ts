import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTestContext, type TestContext } from '../../../support/harness.ts';
import {
  ENDLESS,
  ENDLESS_MAIL,
  type HostileServer,
  type Hostility,
  startHostileServer,
  TRICKLING,
  TRICKLING_MAIL,
} from '../../../support/hostile-server.ts';
import { OUTWARD, OUTWARD_MAIL, type Outward } from '../../../support/outward.ts';

/** The buffers of two sockets and of a client hold at most this beyond a limit. */
const BUFFERED_BYTES = 32 * 1_048_576;

let ctx: TestContext;
let hostile: HostileServer;
beforeAll(async () => {
  ctx = await openTestContext();
  hostile = await startHostileServer();
});
afterAll(() => Promise.all([ctx.close(), hostile.close()]));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Deadlines that pass when the test says so: those by `AbortSignal.timeout`, and those by timers. */
function holdDeadlines() {
  const held: { ms: number; pass: () => void }[] = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    const pass = () => controller.abort(new DOMException('The deadline has passed.', 'TimeoutError'));
    held.push({ ms, pass });
    return controller.signal;
  });
  return {
    /** The deadlines that were set so far. */
    all: () => held.map(({ ms }) => ms),
    pass: (ms: number) => {
      for (const deadline of held) deadline.pass();
      vi.advanceTimersByTime(ms);
    },
  };
}

/** Waits for a condition by a timer that no test holds. */
async function untilTrue(isTrue: () => boolean): Promise<void> {
  for (let looks = 0; !isTrue(); looks += 1) {
    if (looks === 1_000) throw new Error('It never became true.');
    await wait(5);
  }
}

function sent(outward: Outward) {
  const state = { isOver: false };
  const over = outward.send(ctx, hostile.url).then(
    () => undefined,
    () => undefined,
  );
  void over.then(() => {
    state.isOver = true;
  });
  return { state, over };
}

/** Sends to an answer that is longer than any limit: it is over although no deadline passes. */
async function meetEndless(outward: Outward, mood: Hostility): Promise<void> {
  hostile.become(mood);
  holdDeadlines();
  await sent(outward).over;
  const { tries = 1, mostBytes } = outward;
  expect(hostile.sentBytes).toBeLessThan(tries * (mostBytes + BUFFERED_BYTES));
  expect(hostile.asked).toBeGreaterThan(0);
  await untilTrue(() => hostile.held.size === 0);
}

/** Sends to an answer that never comes to its end: each try is over at its deadline, and not before. */
async function meetTrickling(outward: Outward, mood: Hostility): Promise<void> {
  hostile.become(mood);
  const deadlines = holdDeadlines();
  const { state, over } = sent(outward);
  const { tries = 1, deadlineMs } = outward;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    await untilTrue(() => hostile.asked === attempt);
    const before = hostile.sentBytes;
    if (mood.piece !== '') await untilTrue(() => hostile.sentBytes > before + 3 * mood.piece.length);
    expect(state.isOver).toBe(false);
    deadlines.pass(deadlineMs);
  }
  await over;
  if (deadlines.all().length > 0) expect(deadlines.all()).toContain(deadlineMs);
  await untilTrue(() => hostile.held.size === 0);
}

describe.each(Object.entries(OUTWARD))('%s', (_, outward) => {
  beforeAll(() => outward.prepare?.(ctx, hostile.url));

  test.each(Object.entries(ENDLESS))('ends at %s', (_mood, mood) => meetEndless(outward, mood));

  test.each(Object.entries(TRICKLING))('ends at its deadline: %s', (_mood, mood) =>
    meetTrickling(outward, mood),
  );

  test('follows no redirect', async () => {
    hostile.become('redirects');
    await sent(outward).over;
    expect(hostile.asked).toBe(1);
  });
});

describe.each(Object.entries(OUTWARD_MAIL))('%s', (_, outward) => {
  test.each(Object.entries(ENDLESS_MAIL))('ends at %s', (_mood, mood) => meetEndless(outward, mood));

  test.each(Object.entries(TRICKLING_MAIL))('ends at its deadline: %s', (_mood, mood) =>
    meetTrickling(outward, mood),
  );
});
