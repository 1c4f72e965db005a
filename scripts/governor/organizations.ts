import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { linkIdentity } from '../../shared/core/accounts/identity/link-identity.ts';
import type { Identity } from '../../shared/core/accounts/identity/verify-access-token.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { listMembers } from '../../shared/core/accounts/organizations/list-members.ts';
import { type Organization, organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { organizationChangeOf, settingsOf } from '../../shared/core/accounts/organizations/settings.ts';
import { memberChange, memberInput } from '../../shared/core/accounts/organizations/view.ts';
import { openShards } from '../../shared/core/credits/ledger/open-when-connected.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { K_POPULATIONS, PLANS, ROLES, type Role, type Tier } from '../../shared/platform/basics/contract.ts';
import { exactText, text, timezone as timezoneShape } from '../../shared/platform/basics/text.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { checkInput, parseInteger, parseLimit } from './basics/input.ts';
import { explainMade, type MadeOptions, madeOption, revokeMade } from './basics/made-option.ts';
import type { Run } from './basics/run.ts';
import { addPersonalData } from './personal-data.ts';

/** `org`, `plan` and `member`. */
export function addOrganizationCommands(program: Command, run: Run): void {
  addOrg(program, run);
  addMembers(program, run);
}

function addOrg(program: Command, run: Run): void {
  const org = program.command('org').description('Organizations');
  org
    .command('create <name>')
    .description('Create an organization')
    .addOption(planOption().default('free'))
    .option('--timezone <zone>', 'IANA timezone', parseTimezone, 'UTC')
    .action((name: string, options: { plan: Tier; timezone: string }) =>
      run(async (ctx) => {
        const input = checkInput(z.strictObject({ name: text(256) }), { name });
        const { _id, plan } = await createOrganization(ctx, { ...input, ...options });
        return { org_id: _id, ...input, plan };
      }),
    );
  org
    .command('set <org_id>')
    .description('Change settings of an organization; what is not named stays')
    .option('--name <name>')
    .option('--session-timeout <seconds>', 'seconds of silence that end a session, 60..86400', parseInteger)
    .option('--timezone <zone>', 'IANA timezone, in force from the next day on', parseTimezone)
    .option('--k-anonymity <k>', 'the fewest users that analytics show, at least 5', parseInteger)
    .addOption(
      new Option(
        '--k-population <who>',
        'who counts towards k: every reported user, or members only',
      ).choices(K_POPULATIONS),
    )
    .option('--admin-email <email...>', 'who gets a mail about a failing webhook')
    .option('--hold-tokens <n|off>', 'hold a signal with more tokens until an admin decides', parseLimit)
    .option(
      '--hold-cost <usd|off>',
      'hold a signal that costs more US dollars until an admin decides',
      parseLimit,
    )
    .addOption(
      new Option('--hash-names <on|off>', 'keep and show names of branches and tasks as hashes').choices([
        'on',
        'off',
      ]),
    )
    .option(
      '--focus-close-day <day>',
      'day of the next month at which a month of FOCUS files closes, 1..28',
      parseInteger,
    )
    .action((orgId: string, options: Record<string, never>) =>
      run(async (ctx) => {
        const { name, sessionTimeout, timezone, kAnonymity, kPopulation, adminEmail } = options;
        const { holdTokens, holdCost, hashNames, focusCloseDay } = options;
        const isHeldElse = holdTokens !== undefined || holdCost !== undefined;
        const change = checkInput(changeOf(ctx), {
          name,
          timezone,
          session_timeout: sessionTimeout,
          k_anonymity: kAnonymity,
          k_population: kPopulation,
          admin_emails: adminEmail,
          hash_names: hashNames === undefined ? undefined : hashNames === 'on',
          focus_close_day: focusCloseDay,
          hold_above: isHeldElse ? { tokens: holdTokens, cost_usd: holdCost } : undefined,
        });
        return describe(ctx, await changeOrganization(ctx, orgId, change));
      }),
    );
  org
    .command('show <org_id>')
    .description('Show the settings of an organization')
    .action((orgId: string) => run(async (ctx) => describe(ctx, await readOrganization(ctx, orgId))));
  org
    .command('list')
    .description('List all organizations')
    .action(() =>
      run(async (ctx) => {
        const rows = await organizationRows(ctx)
          .find({}, { sort: { created_at: 1 } })
          .toArray();
        return { organizations: rows.map(({ _id, name, plan }) => ({ org_id: _id, name, plan })) };
      }),
    );
  program
    .command('plan <org_id> <plan>')
    .description('Change the plan of an organization; running periods are not reset')
    .action((orgId: string, plan: string) =>
      run(async (ctx) => {
        await openShards(ctx);
        return describe(ctx, await changeOrganization(ctx, orgId, { plan: parsePlan(plan) }));
      }),
    );
}

function changeOf(ctx: Context) {
  return organizationChangeOf(settingsOf(ctx), { k_population: z.enum(K_POPULATIONS) });
}

function addMembers(program: Command, run: Run): void {
  const member = program.command('member').description('People of an organization');
  member
    .command('add <org_id> <email>')
    .description('Add a member')
    .option('--user-id <id>', "the user_id of the member's signals (default: a new one)")
    .option('--name <name>')
    .addOption(new Option('--role <role>').choices(ROLES).default('member'))
    .option('--team <team...>')
    .option('--idp-issuer <url>')
    .option('--idp-subject <sub>')
    .action((orgId: string, email: string, options: MemberOptions) =>
      run(async (ctx) => {
        const { userId, name, role, team, idpIssuer, idpSubject } = options;
        const isNamed = idpIssuer !== undefined || idpSubject !== undefined;
        const idp = isNamed ? identityOf(options) : undefined;
        const input = checkInput(memberInput, { email, user_id: userId, name, role, teams: team });
        const added = await addMember(ctx, { ...input, org_id: orgId, idp });
        return { account_id: added._id, user_id: added.user_id, role: added.role };
      }),
    );
  member
    .command('teams <org_id> <user_id> [team...]')
    .description('Put a member into exactly these teams')
    .action((orgId: string, userId: string, teams: string[]) =>
      run(async (ctx) => {
        const change = checkInput(memberChange, { teams });
        await changeMember(ctx, orgId, userId, change);
        return { user_id: userId, ...change };
      }),
    );
  member
    .command('identity <org_id> <user_id>')
    .description('Link a member with a person of the identity provider')
    .requiredOption('--idp-issuer <url>')
    .requiredOption('--idp-subject <sub>')
    .action((orgId: string, userId: string, options: { idpIssuer: string; idpSubject: string }) =>
      run(async (ctx) => {
        await linkIdentity(ctx, orgId, userId, identityOf(options));
        return { user_id: userId, idp_issuer: options.idpIssuer, idp_subject: options.idpSubject };
      }),
    );
  member
    .command('remove <org_id> <user_id>')
    .description('Remove a member: erase name, e-mail and identity, keep the ids')
    .addOption(madeOption())
    .action((orgId: string, userId: string, { made }: MadeOptions) =>
      run(async (ctx) => {
        await openShards(ctx);
        await explainMade(removeMember(ctx, orgId, userId, { revokeMade: revokeMade(made) }));
        return { user_id: userId, removed: true };
      }),
    );
  addPersonalData(member, run);
  member
    .command('list <org_id>')
    .description('List the members')
    .action((orgId: string) =>
      run(async (ctx) => {
        await readOrganization(ctx, orgId);
        const members = await listMembers(ctx, orgId);
        return {
          members: members.map(({ user_id, email, role, teams }) => ({ user_id, email, role, teams })),
        };
      }),
    );
}

const identity = z.strictObject({
  iss: z.url('--idp-issuer must be a URL'),
  sub: exactText.min(1, '--idp-subject must not be empty').max(255),
});

/** An identity that somebody can have. Throws `invalid_request`: an empty variable must lock nobody out. */
function identityOf({
  idpIssuer = '',
  idpSubject = '',
}: Pick<MemberOptions, 'idpIssuer' | 'idpSubject'>): Identity {
  return checkInput(identity, { iss: idpIssuer, sub: idpSubject });
}

interface MemberOptions {
  userId?: string;
  name?: string;
  role: Role;
  team?: string[];
  idpIssuer?: string;
  idpSubject?: string;
}

/** Fields that are no settings: they count changes, or are about single users and signals. */
const UNSHOWN = new Set(['_id', 'created_at', 'roster_changes', 'erased_users', 'held_until']);

function describe(ctx: Context, organization: Organization): Record<string, unknown> {
  const shown = Object.entries(organization).filter(([name]) => !UNSHOWN.has(name));
  const settings = Object.entries(settingsOf(ctx)).map(([name, { show }]) => [name, show(organization)]);
  return { org_id: organization._id, ...Object.fromEntries([...shown, ...settings]) };
}

function planOption(): Option {
  return new Option('--plan <plan>').choices(PLANS);
}

function parsePlan(value: string): Tier {
  const plan = PLANS.find((known) => known === value);
  if (!plan) throw new InvalidArgumentError(`The plan must be one of ${PLANS.join(', ')}.`);
  return plan;
}

function parseTimezone(value: string): string {
  const parsed = timezoneShape.safeParse(value);
  if (!parsed.success) throw new InvalidArgumentError('It must be an IANA timezone, such as Europe/Berlin.');
  return parsed.data;
}
