import type { Fault } from '../fault.ts';

const RAISES = ['test/api/raises.test.ts'];
const MAILS = ['test/shared/wings/raises/mail-raise.test.ts'];

export const RAISE_FAULTS: readonly Fault[] = [
  {
    what: 'an admin answers what the same person asked for',
    file: 'shared/wings/raises/answer.ts',
    text: 'if (before.user_id === admin.userId)',
    replacement: 'if (before.user_id === null)',
    tests: RAISES,
  },
  {
    what: 'a raise is in force until a worker ends it',
    file: 'shared/core/limits/budgets/rules/in-force.ts',
    text: 'starts_at.getTime() <= atMs && atMs < ends_at.getTime()',
    replacement: 'starts_at.getTime() <= atMs && ends_at.getTime() > 0',
    tests: RAISES,
  },
  {
    what: 'a second raise of a budget is forgotten when the first changes',
    file: 'shared/wings/raises/plan-change.ts',
    text: 'raises: [...others, ...entries]',
    replacement: 'raises: entries',
    tests: RAISES,
  },
  {
    what: 'a request is mailed to somebody who is no admin any more',
    file: 'shared/wings/raises/mail-raise.ts',
    text: "user_id === raise.user_id || role === 'admin'",
    replacement: 'user_id.length > 0 || role === raise.user_id',
    tests: MAILS,
  },
];
