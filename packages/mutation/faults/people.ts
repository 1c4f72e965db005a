import { type Fault, faultsIn } from '../fault.ts';

const MAILS = [
  'test/api/mail-webhooks.test.ts',
  'test/shared/core/events/webhooks/deliveries/failing.test.ts',
];
const JOINING = ['test/api/dashboard.test.ts', 'test/shared/platform/basics/email.test.ts'];
const SESSIONS = ['test/api/dashboard-session.test.ts'];
const ONCE = ['test/api/idempotency.test.ts', 'test/api/idempotency-secrets.test.ts'];

export const PEOPLE_FAULTS: readonly Fault[] = [
  ...faultsIn('shared/platform/basics/email.ts', JOINING, [
    {
      what: 'a Kelvin sign is a K',
      text: 'return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());',
      replacement: 'return email.toLowerCase();',
    },
    {
      what: 'each address with a plus is a mailbox',
      text: "return email.toLowerCase().replace(/\\+[^@]*@/, '@');",
      replacement: 'return email.toLowerCase();',
      tests: MAILS,
    },
  ]),
  {
    what: 'mail goes to an address that only an admin has named',
    file: 'shared/core/events/webhooks/endpoints/mail-target.ts',
    text: 'return email_confirmed === true && !removed_at',
    replacement: 'return (email_confirmed ?? true) && !removed_at',
    tests: MAILS,
  },
  {
    what: 'a visit never ends',
    file: 'api/people/browser-session.ts',
    text: 'return visitor && visitor.untilMs > ctx.clock.now() ? visitor : null;',
    replacement: 'return visitor ?? null;',
    tests: SESSIONS,
  },
  {
    what: 'a stored session lives for seconds only',
    file: 'api/people/session-store.ts',
    text: "'EX', seconds), done);",
    replacement: "'PX', seconds), done);",
    tests: SESSIONS,
  },
  ...faultsIn('shared/core/accounts/idempotency/claim-key.ts', ONCE, [
    {
      what: 'a key that was given back still creates',
      text: 'if (row?.seed !== seed || (row.created_by',
      replacement: 'if ((row && row.created_by',
    },
  ]),
  {
    what: 'a member gets what only an admin may have',
    file: 'api/auth/authenticate.ts',
    text: "principal.role !== 'admin')",
    replacement: 'principal.role === undefined)',
    tests: [...ONCE, 'test/api/members-and-keys.test.ts'],
  },
];
