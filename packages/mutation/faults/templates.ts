import { type Fault, faultsIn } from '../fault.ts';

const TEMPLATES = ['test/api/budget-templates.test.ts'];
const LEVELS = ['test/shared/core/limits/budgets/templates.test.ts'];
const PREVIEWS = ['test/api/budget-previews.test.ts'];
const RAISES = ['test/api/raises.test.ts'];

export const TEMPLATE_FAULTS: readonly Fault[] = [
  ...faultsIn('shared/core/limits/budgets/rules/people.ts', TEMPLATES, [
    {
      what: 'the raise of one person of a template is for everybody',
      text: 'const { limit = budget.limit, raises = [] } =',
      replacement: 'const { limit = budget.limit, raises = budget.raises } =',
      tests: RAISES,
    },
  ]),
  ...faultsIn('shared/core/limits/enforcement/state/budget-status.ts', TEMPLATES, [
    {
      what: 'a template counts a call of nobody',
      text: 'return userId === null ? null : budgetOfPerson(ruled, userId);',
      replacement: "return budgetOfPerson(ruled, userId ?? 'nobody');",
    },
    {
      what: 'the reservations of one person fill a template for everybody',
      text: 'return person === null\n',
      replacement: "return person !== ''\n",
    },
    {
      what: 'Redis learns the names of people',
      text: "return userId === null ? '' : hashedKey(12, orgId, userId);",
      replacement: "return userId ?? '';",
    },
  ]),
  {
    what: 'a level of a template fires for one person alone',
    file: 'shared/core/limits/budgets/rules/keys.ts',
    text: "const person = budget.per ? [...personCause(budget), budget.limit ?? ''] : [];",
    replacement: 'const person: string[] = [];',
    tests: LEVELS,
  },
  {
    what: 'a template has exceptions without number',
    file: 'shared/core/limits/budgets/change/change-people.ts',
    text: 'if (count < MOST_OVERRIDES) return;',
    replacement: 'if (count >= 0) return;',
    tests: TEMPLATES,
  },
  {
    what: 'a preview shows usage to a key that only writes budgets',
    file: 'api/routes/preview-budget.ts',
    text: "if (!principal.scopes.includes('usage:read'))",
    replacement: 'if (principal.scopes.length === 0)',
    tests: PREVIEWS,
  },
  {
    what: 'a soft budget stops work in its preview',
    file: 'shared/core/limits/budgets/rules/view.ts',
    text: "return enforce === 'hard' && current >= limit;",
    replacement: "return enforce !== 'none' && current >= limit;",
    tests: PREVIEWS,
  },
];
