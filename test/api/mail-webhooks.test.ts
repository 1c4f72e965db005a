import { type AddressInfo, createServer, type Socket } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { actingAs } from '../../shared/core/accounts/audit/record-audit.ts';
import { confirmEmail } from '../../shared/core/accounts/identity/confirm-email.ts';
import { type Member, memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { mailPermitRows } from '../../shared/core/events/webhooks/endpoints/mail-permits.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import type { WebhookInput } from '../../shared/core/events/webhooks/endpoints/view.ts';
import { endpointOf, takePermits } from '../../shared/core/events/webhooks/sending/endpoint.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { WEBHOOK_ANSWER_BYTES } from '../../shared/platform/basics/contract.ts';
import { DeadlineError } from '../../shared/platform/basics/within.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { sendMail } from '../../shared/platform/mail/send-mail.ts';
import { drainWebhook } from '../../workers/index.ts';
import { fixture } from '../support/fixture.ts';
import { standingStillAfter } from '../support/interleave.ts';
import { plainMail } from '../support/smtp.ts';
import { attemptAllDue, findDeliveries, raise } from '../support/webhooks.ts';

const HOUR = 3_600_000;
const f = await fixture({ clock: true, smtp: true, perTest: true });
const { api, clock, smtp } = f;
let ada: Member;
beforeEach(async () => {
  ada = await addMember(api.ctx, { org_id: f.orgId, email: 'ada@example.com', role: 'member' });
});
const MAIL: Omit<WebhookInput, 'url'> = { format: 'email', events: ['session.started'] };
const register = (url = 'mailto:Ada@example.com', key = f.key) =>
  f.send('/api/v1/webhooks', { ...MAIL, url }, { key });

/** Raises events, and does what is due then. Returns their ids. */
async function tell(count = 1, { ctx = api.ctx, data = {} } = {}): Promise<string[]> {
  const ids = await raise(ctx, f.orgId, count, data);
  await attemptAllDue(ctx);
  return ids;
}

/** The attempts at what has not arrived. */
const attempts = async () =>
  (await queuedDeliveryRows(api.ctx).find({ org_id: f.orgId }).toArray()).flatMap((row) => row.attempts);

/** A header of a mail, unfolded. */
function headerOf(mail: string | undefined, name: string): string | undefined {
  const [head = ''] = plainMail(mail).split('\n\n');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1];
}

/** The context of a process whose mail server says this to each caller, until the test ends. */
async function withServer(speak: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    speak(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { ...api.ctx, config: { ...api.ctx.config, smtpUrl: `smtp://127.0.0.1:${port}` } };
}

describe('a webhook of the format email', () => {
  it.each(['mailto:Ada@example.com', 'mailto:ada%40example.com'])(
    'writes to a member, with one click to unsubscribe, and shows only where the address is: %s',
    async (url) => {
      const { status, body } = await register(url);
      expect([status, body.url]).toEqual([201, 'mailto:…@example.com']);
      await tell(1, { data: { user_id: 'Eve\r\nBcc: all@example.com' } });
      expect(smtp.mails).toHaveLength(1);
      const shown = ['To', 'Bcc', 'Subject', 'List-Unsubscribe-Post', 'List-Unsubscribe'];
      expect(shown.map((name) => headerOf(smtp.mails[0], name))).toEqual([
        'ada@example.com',
        undefined,
        'A session began',
        'List-Unsubscribe=One-Click',
        expect.stringMatching(/^<https:\/\/governor\.example\/v1\/unsubscribe\/usr_[^>]+>$/),
      ]);
      expect(await findDeliveries(api.ctx, { org_id: f.orgId })).toMatchObject([{ status: 'succeeded' }]);
    },
  );

  it.each([
    'mailto:stranger@example.com',
    'mailto:ada@example.com,eve@example.com',
    'mailto:ada@example.com?bcc=eve@example.com',
    'mailto:ada%2Ceve@example.com',
    'mailto:ada@example.com%0d%0aBcc:eve@example.com',
    'mailto:g1:ada@example.com;',
    'mailto:g1:ada@example.com',
    'mailto:%C2%85ada@example.com',
    'mailto:ada@example.com#x',
    'mailto:',
    'ada@example.com',
    'https://example.com/',
  ])('is not registered for %s', async (url) => {
    const { status, body } = await register(url);
    expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([400, 'invalid_request', '/url']);
  });

  it('does not write to who is not a member any more', async () => {
    await register();
    await removeMember(api.ctx, f.orgId, ada.user_id);
    await tell();
    expect(smtp.mails).toEqual([]);
    expect(await attempts()).toMatchObject([{ error: 'blocked' }]);
  });

  it('writes at most twenty mails within an hour, and the others in order as there is room', async () => {
    const { body } = await register();
    const first = await tell(20);
    const others = await tell(25);
    expect(smtp.mails).toHaveLength(20);
    expect(await f.ask(`/api/v1/webhooks/${body.id}`)).toMatchObject({ status: 'active', held: 25 });
    clock.advance(HOUR - 1);
    await drainWhatIsDue();
    expect(smtp.mails).toHaveLength(20);
    clock.advance(1);
    await drainWhatIsDue();
    expect(smtp.mails).toHaveLength(40);
    clock.advance(HOUR);
    await drainWhatIsDue();
    const ids = smtp.mails.map((mail) => /^<(evt_\w+)/.exec(headerOf(mail, 'Message-ID') ?? '')?.[1]);
    expect(new Set(ids.slice(0, 20))).toEqual(new Set(first));
    expect(ids.slice(20)).toEqual(others);
    const statuses = (await findDeliveries(api.ctx, { org_id: f.orgId })).map(({ status }) => status);
    expect(statuses).toEqual(Array(45).fill('succeeded'));
    clock.advance(HOUR);
    await drainWhatIsDue();
    expect(await dueRows(api.ctx).countDocuments({ org_id: f.orgId, kind: 'drain-webhook' })).toBe(0);
  });

  it('that could not be sent takes no room: it is tried again by the schedule', async () => {
    await register();
    const config = { ...api.ctx.config, mailsPerOrganization: 20 };
    await tell(20, { ctx: { ...api.ctx, config: { ...config, smtpUrl: 'smtp://127.0.0.1:1' } } });
    clock.advance(30_000);
    await attemptAllDue({ ...api.ctx, config });
    expect(smtp.mails).toHaveLength(20);
  });

  it('is given up when the server says something all the time and never takes it', async () => {
    const slow = await withServer((socket) => {
      socket.write('220 hello\r\n');
      const timer = setInterval(() => socket.write('250-more\r\n'), 20);
      socket.once('close', () => clearInterval(timer));
    });
    const mail = { to: ['ada@example.com'], subject: 'x', text: 'x' };
    await expect(sendMail(slow, mail, 200)).rejects.toThrow(DeadlineError);
  });

  it('keeps at most 16 KiB of what the server answers', async () => {
    await register();
    await tell(1, { ctx: await withServer((at) => at.end(`${'554-no\r\n'.repeat(5_000)}554 no\r\n`)) });
    const [attempt, ...more] = await attempts();
    expect([attempt, more]).toMatchObject([{ status: 554, error: 'mail' }, []]);
    expect(attempt?.latency_ms).toBeGreaterThan(0);
    expect(Buffer.byteLength(attempt?.answer ?? '')).toBe(WEBHOOK_ANSWER_BYTES);
  });

  it('asks once per hour, and not for each mail that waits, whether there is room', async () => {
    await register();
    await tell(60);
    clock.advance(HOUR);
    await attemptAllDue(api.ctx);
    const find = vi.spyOn(mailPermitRows(api.ctx), 'find');
    await drainWhatIsDue();
    expect(find).toHaveBeenCalledTimes(21);
    vi.restoreAllMocks();
  });

  async function drainWhatIsDue(): Promise<void> {
    const due = { kind: 'drain-webhook', org_id: f.orgId, due_at: { $lte: new Date(clock.now()) } };
    for (const { key: webhookId } of await dueRows(api.ctx).find(due).toArray()) {
      // A slow machine takes more than one turn.
      let again: unknown = true;
      while (again) again = await drainWebhook.handle({ key: webhookId }, api.ctx);
    }
  }

  it('is tested by a mail, and twenty of these are enough too', async () => {
    const { body } = await register();
    const test = () => f.send('/api/v1/webhooks/test', { webhook_id: body.id });
    const first = await test();
    expect([first.status, first.body.status, first.body.error]).toEqual([200, 250, null]);
    expect(headerOf(smtp.mails[0], 'Subject')).toBe('Test message: a session began');
    for (let sent = 1; sent < 20; sent += 1) expect((await test()).status).toBe(200);
    expect((await test()).status).toBe(503);
  });

  it('takes no room by a test that is refused because too many are under way', async () => {
    const { body } = await register();
    const sent = async () => (await mailPermitRows(api.ctx).find().toArray()).flatMap((row) => row.sent);
    const before = await sent();
    void takePermits(api.ctx, endpointOf(api.ctx, `test ${body.id}`), 3_000);
    expect((await f.send('/api/v1/webhooks/test', { webhook_id: body.id })).status).toBe(503);
    expect(await sent()).toHaveLength(before.length);
  });
});

describe('an address that nobody has confirmed', () => {
  const email = 'victim@example.com';
  let byAdmin: <T>(work: () => Promise<T>) => Promise<T>;
  beforeEach(async () => {
    const admin = { org_id: f.orgId, email: 'admin@example.com', role: 'admin' } as const;
    const { _id } = await addMember(api.ctx, admin);
    byAdmin = (work) => actingAs(_id, work);
  });

  it('gets no mail because an admin has invited it, until its person has signed in with it', async () => {
    const claims = { email: 'Victim@example.com', isVerified: true };
    const invited = { org_id: f.orgId, email, role: 'member' } as const;
    const member = await byAdmin(() => addMember(api.ctx, invited));
    const refused = await register(`mailto:${email}`);
    expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([400, '/url']);
    await confirmEmail(api.ctx, member, { ...claims, isVerified: false });
    await confirmEmail(api.ctx, member, { ...claims, email: '\u{1d42f}ictim@example.com' });
    expect((await register(`mailto:${email}`)).status).toBe(400);
    await confirmEmail(api.ctx, member, claims);
    expect((await register(`mailto:${email}`)).status).toBe(201);
  });

  it('gets none because an admin has given it to a member who had confirmed another', async () => {
    await register();
    const move = (to: string) => changeMember(api.ctx, f.orgId, ada.user_id, { email: to });
    const moved = await byAdmin(() => move(email));
    expect((await register(`mailto:${email}`)).status).toBe(400);
    const back = await byAdmin(() => move('ada@example.com'));
    expect([moved.email_confirmed, back.email_confirmed]).toEqual([undefined, undefined]);
    await tell();
    expect(smtp.mails).toEqual([]);
    expect((await move(email)).email_confirmed).toBe(true);
  });
});

describe('the mails of an organization', () => {
  it.each([
    [20, 'to one mailbox, however its address is written', 'victim@x victim+0@x victim+1@X VICTIM+2@x'],
    [25, 'to all mailboxes together, as MAILS_PER_ORGANIZATION says', 'bob@x cleo@x dan@x'],
  ])('are at most %i an hour %s', async (most, _, names) => {
    for (const name of names.split(' ')) {
      await addMember(api.ctx, { org_id: f.orgId, email: `${name}.com`, role: 'member' });
      expect((await register(`mailto:${name}.com`)).status).toBe(201);
    }
    await tell(15, { ctx: { ...api.ctx, config: { ...api.ctx.config, mailsPerOrganization: 25 } } });
    expect(smtp.mails).toHaveLength(most);
  });
});

describe('one click', () => {
  const post = (path: string, sent: RequestInit = {}) => fetch(api.url + path, { method: 'POST', ...sent });

  async function linkOf(): Promise<string> {
    await register();
    await tell();
    return new URL((headerOf(smtp.mails[0], 'List-Unsubscribe') ?? '').slice(1, -1)).pathname;
  }

  it.each([
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
  ])('ends the mails, as %s, and a second one changes nothing', async (contentType, body) => {
    const link = await linkOf();
    const headers = { 'content-type': contentType };
    for (const _time of [1, 2]) {
      const answer = await post(link, { headers, body });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('unsubscribed')]);
    }
    expect(await webhookRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(0);
    await tell();
    expect(smtp.mails).toHaveLength(1);
  });

  it('ends all mails of the organization to that person, and new ones until they ask for them', async () => {
    await register();
    const link = await linkOf();
    expect((await post(link)).status).toBe(200);
    expect(await webhookRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(0);
    expect((await register()).status).toBe(400);
    const other = await f.tenant();
    await addMember(api.ctx, { org_id: other.orgId, email: 'ada@example.com', role: 'member' });
    expect((await register('mailto:ada@example.com', other.key)).status).toBe(201);
    for (const _time of [1, 2]) {
      const again = await post(`${link}?again=true`);
      expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('again')]);
    }
    expect((await register()).status).toBe(201);
    const actions = (await f.audited(/subscribe/)).map(({ action }) => action);
    expect(actions.toSorted()).toEqual(['member.subscribe', 'member.unsubscribe']);
  });

  it('leaves no webhook that was being created at that moment', async () => {
    const link = await linkOf();
    // Else they meet at the version of the organization, which the end of that webhook raises.
    await webhookRows(api.ctx).deleteMany({ org_id: f.orgId });
    const creating = standingStillAfter(api.ctx, memberRows, () => post(link));
    const created = createWebhook(creating, f.orgId, { ...MAIL, url: 'mailto:ada@example.com' });
    await expect(created).rejects.toThrow('takes mails of this organization');
    expect(await webhookRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(0);
  });

  it('is asked for by a page, which changes nothing by being looked at', async () => {
    const link = await linkOf();
    const page = await fetch(`${api.url}${link}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('<form method="post">');
    expect(await webhookRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(1);
  });

  it('of a link that is not ours is a 404', async () => {
    const link = await linkOf();
    for (const forged of [`${link}x`, link.slice(0, -1), '/v1/unsubscribe/usr_1.x', '/v1/unsubscribe/x'])
      for (const method of ['GET', 'POST'])
        expect((await fetch(`${api.url}${forged}`, { method })).status).toBe(404);
    expect(await webhookRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(1);
  });
});
