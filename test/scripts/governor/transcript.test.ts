import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createProgram as createPeoples } from '../../../packages/governor/src/program.ts';
import { createProgram } from '../../../scripts/governor/program.ts';
import { apiKeyRows } from '../../../shared/core/accounts/keys/model.ts';
import { commandLine, type Failed } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { makeWhole, sameWholeFixture, type WholeTenant } from '../../support/whole-tenant.ts';

/** A Wednesday in the middle of a month. Nothing that a command says depends on the day on which the test runs. */
const NOW = '2031-01-15T12:00:00.000Z';

vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) });
afterAll(() => vi.useRealTimers());

const folder = temporaryFolder(afterAll);
const host = await sameWholeFixture(NOW);
let own: WholeTenant;
beforeAll(async () => {
  own = await makeWhole(host);
  writeFileSync(join(folder, 'receipt.txt'), await receiptOf(own));
});

/** The receipt of a spend, which is answered again. */
async function receiptOf({ must }: WholeTenant): Promise<string> {
  const output_sha256 = createHash('sha256').update('x').digest('hex');
  const headers = { 'Idempotency-Key': 'spend' };
  return (await must('device', 'POST', '/v1/meter/consume', { output_sha256 }, headers)).receipt;
}

/** The words for what stands in braces in the commands below. */
const idsOf = () => ({
  org: own.orgId,
  webhook: own.spareWebhook,
  spending: own.receipt,
  destination: own.destination,
  spare: own.spareDestinations[0] ?? '',
  rule: own.priceRules[1] ?? '',
  key: own.spareKeys[0] ?? '',
  otherKey: own.spareKeys[1] ?? '',
  device: own.device.device_id,
  codeHost: own.spareHost,
  folder,
  jwks: `${host.api.url}/.well-known/jwks.json`,
});

/** The commands of an operator, one after the other on one organization that has something of every noun. */
const OPERATORS = [
  'status --api {api}',
  'org show {org}',
  'org list',
  'org set {org} --name Widgets --timezone Asia/Tokyo --session-timeout 900 --k-anonymity 7 --hold-cost 3.5',
  'org set {org} --admin-email a@example.com b@example.com --focus-close-day 9 --hash-names on',
  'org set {org} --session-timeout 1',
  'org set {org}',
  'org create Acme --plan none',
  'org show org_none',
  'plan {org} enterprise',
  'plan {org} gold',
  'connect claude-code --org {org} --user-id ada --api https://governor.example',
  'connect otel --org {org} --project-id shop',
  'connect none --org {org}',
  'code-host create {org} --provider github --name Hub',
  'code-host list {org}',
  'code-host delete {org} {codeHost}',
  'code-host delete {org} {codeHost}',
  'destination list {org}',
  'destination show {destination}',
  'destination add {org} --kind folder --name Books --prefix books --level daily:csv sessions:parquet --since 2031-01-01 --hour 5 --paused',
  'destination add {org} --kind folder --name Books --level daily:none',
  'destination pause {destination}',
  'destination resume {destination}',
  'destination test {destination}',
  'destination run {destination} --from 2031-01-10 --to 2031-01-12',
  'destination runs {destination} --limit 2',
  'destination remove {spare}',
  'destination show {spare}',
  'member list {org}',
  'member add {org} zoe@example.com --user-id zoe --name Zoë --role admin --team red blue',
  'member add {org} zoe@example.com --user-id zoe',
  'member teams {org} zoe green',
  'member identity {org} zoe --idp-issuer https://idp.example --idp-subject zoe',
  'member export {org} bob',
  'member remove {org} zoe --made keep',
  'member remove {org} zoe --made keep',
  'member erase {org} dan --made revoke',
  'key list {org}',
  'key create {org} --scope signals:write usage:read --name ci --user-id ada --expires-at 2031-06-01T00:00:00Z',
  'key create {org} --scope none',
  'key rotate {key} --grace 3600',
  'key revoke {otherKey}',
  'key revoke key_none',
  'device revoke {device}',
  'credits plans',
  'credits grant {org} ada 100 --key one --expires-at 2031-02-01',
  'credits grant {org} ada 100 --key one --expires-at 2031-02-01',
  'credits grant {org} ada 99 --key one',
  'credits grant {org} ada 0',
  'credits purchase {org} ada 7 --key two',
  'credits refund {org} ada {spending}',
  'credits refund {org} ada {spending}',
  'credits show {org} ada',
  'credits show {org} nobody',
  'credits ledger {org} ada --limit 4',
  'credits reconcile',
  'due',
  'due end-session',
  'due none',
  'webhook list --org {org}',
  'webhook list --failing',
  'webhook enable {webhook}',
  'webhook enable whk_none',
  'verify {folder}/receipt.txt --jwks {jwks}',
  'verify {folder}/none.txt --jwks {jwks}',
  'usage reconcile {org} --check',
  'usage reconcile {org} --from 2031-01-01',
  'usage purge',
  'rebuild',
  'analytics freeze {org}',
  'no-such-command',
];

/** Those of people, with a key of every scope. */
const PEOPLE = [
  'cost --from 2031-01-01 --by person,model',
  'cost --last-month --by project --csv',
  'cost --last-week --by none',
  'check --user-id ada',
  'check --user-id nobody --doctor',
  'raise --amount 20 --for 2h --note More',
  'raise --budget bud_none --amount 20',
  'prices list',
  'prices add --name GPUs --from 2031-01-10 --provider vllm --input 0.2 --output 0.6 --tool search=0.01',
  'prices add --name Off --from 2031-01-10 --model gpt-4o-mini --discount 15',
  'prices add --name None --from 2031-01-10',
  'prices end {rule} --at 2031-03-01',
  'prices quote --model gpt-4o-mini --provider openai --tokens-in 1000000 --tokens-out 2000 --cache-read 100',
  'prices quote --model none --tokens-in 10',
  'prices reprice --from 2031-01-01 --only-unpriced',
  'pr report --repository github.com/acme/shop --number 12 --branch cart --state merged --opened-at 2031-01-14T09:00:00Z --closed-at 2031-01-15T10:00:00Z --title Cart',
  'pr summary --repository github.com/acme/shop --number 12',
  'pr summary --repository github.com/acme/shop --number 12 --format text',
  'pr summary --repository github.com/acme/shop --number 99',
  'context --session s-1 --task SHOP-412',
];

/** Everything that differs from run to run: ids, secrets, times that something took, and what names a place of this run. */
const RANDOM: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z]{2,4})_[0-9A-Za-z]{16,}([._][\w-]+)?/g, '$1_…'],
  [/(ugk_)[\w.-]+/g, '$1…'],
  [/(secret: ).+/g, '$1…'],
  [/\b[0-9a-f]{64}\b/g, 'HASH'],
  [/\b\d+( ms| s ahead)\b/g, '#$1'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/person-\d+/g, 'person-…'],
  // Columns are as wide as what is in them.
  [/ {2,}/g, '  '],
  [/\.\d{3}Z/g, '.…Z'],
  // Budgets are evaluated beside what asks for it.
  [/\d+ +\d+( +\d+ .* evaluate-budgets)/g, '# #$1'],
];

async function masked(text: string): Promise<string> {
  const keys = await apiKeyRows(host.ctx).find().toArray();
  const here = keys.reduce((all, { _id }) => all.replaceAll(_id, 'KEY'), text.replaceAll(folder, 'FOLDER'));
  return RANDOM.reduce((all, [pattern, replacement]) => all.replaceAll(pattern, replacement), here);
}

/** Lists of what was made at the same time: their order is that of random ids. */
const UNORDERED = /^(\S+ list|due end-session)/;

/** Runs each command, and writes down what a person sees. The usage that follows a wrong word is in the help. */
async function transcript(
  lines: readonly string[],
  env: Record<string, string>,
  who: 'operators' | 'people',
) {
  const { run } = commandLine(env, who);
  const ids: Record<string, string> = { ...idsOf(), api: host.api.url };
  const seen: string[] = [];
  for (const line of lines) {
    const words = line.split(' ').map((word) => word.replace(/\{(\w+)\}/, (_, name) => ids[name] ?? ''));
    const { stdout, stderr, code } = await run(...words).then(
      (written) => ({ ...written, code: 0 }),
      (failed: Failed) => failed,
    );
    const said = await masked(stdout + (stderr && `stderr: ${stderr.split('\nUsage:')[0]}`));
    const text = said.split('\n').filter((one) => one !== '');
    seen.push(`$ governor ${line}`, ...(UNORDERED.test(line) ? text.toSorted() : text));
    if (code !== 0) seen.push(`exit code ${code}`);
    seen.push('');
  }
  return `${seen.join('\n')}`;
}

test('each command of operators says the same, whatever the day', async () => {
  const said = await transcript(OPERATORS, host.env, 'operators');
  await expect(said).toMatchFileSnapshot('transcript-of-operators.txt');
});

test('each command of people says the same, whatever the day', async () => {
  const env = { GOVERNOR_API: host.api.url, GOVERNOR_API_KEY: own.key };
  const said = await transcript(PEOPLE, env, 'people');
  await expect(said).toMatchFileSnapshot('transcript-of-people.txt');
});

test.each([
  ['operators', createProgram],
  ['people', createPeoples],
] as const)('the help of each command: %s', async (who, create) => {
  const helpOf = (command: Command): string[] => [
    command.createHelp().formatHelp(command, Object.assign(command.createHelp(), { helpWidth: 100 })),
    ...command.commands.flatMap(helpOf),
  ];
  await expect(helpOf(create({})).join('\n')).toMatchFileSnapshot(`help-of-${who}.txt`);
});
