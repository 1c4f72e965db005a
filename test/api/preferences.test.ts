import { beforeEach, describe, expect, it } from 'vitest';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { readDue } from '../../shared/platform/due/plan-due.ts';
import type { MailAttempt } from '../../shared/platform/mail/send-mail.ts';
import { mailDigestJob } from '../../shared/wings/digests/preferences/jobs.ts';
import { preferencesRows } from '../../shared/wings/digests/preferences/model.ts';
import { fixture } from '../support/fixture.ts';
import { startApi, type TestApi } from '../support/harness.ts';
import type { Person } from '../support/people.ts';

const SUNDAY_NOON = Date.UTC(2026, 10, 22, 12);
const env = { SMTP_URL: 'smtp://127.0.0.1:1' };
const fx = await fixture({ clock: SUNDAY_NOON, env, idp: true, perTest: true });
const { clock, api } = fx;
let person: Person;
beforeEach(async () => {
  person = await fx.person();
});

const read = (key = person) => fx.ask('/v1/preferences', undefined, { key });
const change = (body: unknown) => fx.patch('/v1/preferences', body, { key: person });
const dueOf = async ({ accountId }: Person) =>
  (await readDue<MailAttempt>(api.ctx, mailDigestJob, accountId))?.due_at.toISOString() ?? null;

describe('preferences', () => {
  it('are nobody’s but the person’s, and begin with no digest and nothing dismissed', async () => {
    const colleague = await fx.person(undefined, 'admin');
    expect(await read()).toEqual({ digest: 'none', dismissed: [] });
    const own = { digest: 'daily', dismissed: [{ id: 'failing whk_1', until: null }] };
    const changed = await change(own);
    expect([changed.status, changed.body, await read()]).toEqual([200, own, own]);
    expect(await read(colleague)).toEqual({ digest: 'none', dismissed: [] });
  });

  it('keep what a change leaves out, and a repeat changes nothing; a change of nothing is refused', async () => {
    await change({ dismissed: [{ id: 'a', until: null }] });
    expect((await change({})).body).toMatchObject({ status: 400, code: 'invalid_request' });
    for (const _time of [1, 2]) await change({ digest: 'weekly' });
    expect(await read()).toEqual({ digest: 'weekly', dismissed: [{ id: 'a', until: null }] });
    expect(await dueOf(person)).toBe('2026-11-23T08:00:00.000Z');
  });

  it('keep what two devices dismiss at one time', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `notice ${index}`);
    const answers = await Promise.all(ids.map((id) => change({ dismissed: [{ id, until: null }] })));
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    const { dismissed } = await read();
    expect(dismissed.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids);
  });

  it('keep the newest 200 dismissals; one that is dismissed again is the newest', async () => {
    const many = Array.from({ length: 199 }, (_, index) => ({ id: `n${index}`, until: null }));
    await change({ dismissed: [{ id: 'again', until: null }, ...many] });
    await change({ dismissed: [{ id: 'again', until: null }] });
    await change({ dismissed: [{ id: 'last', until: null }] });
    const ids = (await read()).dismissed.map(({ id }: { id: string }) => id);
    expect([ids.length, ids[0], ids.at(-2), ids.at(-1)]).toEqual([200, 'n1', 'again', 'last']);
  });

  it('show a notice again once its time has passed', async () => {
    const until = SUNDAY_NOON / 1_000 + 60;
    await change({ dismissed: [{ id: 'stop', until }] });
    clock.advance(59_999);
    expect((await read()).dismissed).toEqual([{ id: 'stop', until }]);
    clock.advance(1);
    expect((await read()).dismissed).toEqual([]);
    await change({ dismissed: [{ id: 'stop', until: null }] });
    await change({ dismissed: [{ id: 'stop', until }] });
    expect((await read()).dismissed).toEqual([]);
  });

  it('go with the member', async () => {
    await change({ digest: 'daily' });
    await removeMember(api.ctx, person.orgId, person.userId);
    expect(await preferencesRows(api.ctx).findOne({ _id: person.accountId })).toBeNull();
    expect(await dueOf(person)).toBeNull();
    expect((await change({ digest: 'daily' })).status).toBe(401);
  });
});

describe('a digest that is asked for', () => {
  const askFor = (at: TestApi = api) =>
    fx.send('/v1/preferences/digest', undefined, { method: 'POST', key: person, at });

  it('is queued three times within an hour, and a fourth time when the first is an hour old', async () => {
    const three = await Promise.all([askFor(), askFor(), askFor()]);
    expect(three.map(({ status }) => status)).toEqual([202, 202, 202]);
    clock.advance(3_599_000);
    const refused = { status: 429, code: 'too_many_requests', retry_after_s: 1 };
    expect((await askFor()).body).toMatchObject(refused);
    clock.advance(1_000);
    expect((await askFor()).status).toBe(202);
  });

  it('is a conflict without a mail server, and for a person to whom no mail goes', async () => {
    const config = { ...api.ctx.config, smtpUrl: undefined };
    const without = await startApi({ ctx: { ...api.ctx, config } });
    expect((await askFor(without)).body.code).toBe('conflict');
    await without.close();
    await memberRows(api.ctx).updateOne({ _id: person.accountId }, { $unset: { email_confirmed: true } });
    expect((await askFor()).body.code).toBe('conflict');
  });
});
