import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createProgram as createPeoples } from '../../../packages/governor/src/program.ts';
import { createProgram } from '../../../scripts/governor/program.ts';
import { auditRows } from '../../../shared/core/accounts/audit/model.ts';
import { apiKeyRows } from '../../../shared/core/accounts/keys/model.ts';
import { claudeLine, writeLines } from '../../packages/governor/history.ts';
import { commandLine, type Failed } from '../../support/command-line.ts';
import { makeSignal } from '../../support/factories.ts';
import { type Masks, masked, SAME_TIME, sameWholeFixture } from '../../support/same-whole.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { makeWhole, type WholeTenant } from '../../support/whole-tenant.ts';

vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(SAME_TIME) });
const folder = temporaryFolder(afterAll);
// Agents keep their settings and history in the home of a person.
vi.stubEnv('HOME', folder);
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const host = await sameWholeFixture();
let own: WholeTenant;
beforeAll(async () => {
  own = await makeWhole(host);
  writeFileSync(join(folder, 'receipt.txt'), await receiptOf(own));
  writeFiles();
});

/** The home of a person who has used two agents, and files that commands read. */
function writeFiles(): void {
  const ms = Date.parse(SAME_TIME);
  const inFolder = (path: string, ...lines: Parameters<typeof writeLines>[1]) =>
    writeLines(join(folder, path), lines);
  mkdirSync(join(folder, '.gemini'));
  inFolder('.claude/settings.json', {});
  inFolder('.claude/projects/p/s.jsonl', claudeLine(ms, 'msg_1'), claudeLine(ms - 36 * DAY, 'msg_2'));
  const valid = makeSignal({ id: 'from-a-file', ts: ms });
  const wrong = [{ ...valid, id: 'negative', tokens_in: -1 }, { tokens_in: 1 }, 'no json'];
  inFolder('signals.ndjson', valid, ...wrong);
  const tokens = { inputTokens: 12, outputTokens: 300, cacheCreationTokens: 500, cacheReadTokens: 8_000 };
  const modelBreakdowns = [{ modelName: 'gpt-5', ...tokens, cost: 0.5 }];
  const session = { agent: 'codex', period: 'a', metadata: { lastActivity: SAME_TIME }, modelBreakdowns };
  const old = { ...session, period: 'old', metadata: { lastActivity: '2020-01-01' } };
  inFolder('ccusage.json', { session: [session, old] });
  inFolder('daily.json', { daily: [] });
  inFolder('half.json', '{"half');
  inFolder('blank.txt', '', '  \r', '');
  const calls = ['2023-11-16 18:17:03.9799600,10,1', '2023-11-16 18:17:04.0319600,20,2'];
  inFolder('trace.csv', 'TIMESTAMP,ContextTokens,GeneratedTokens', ...calls);
}
const DAY = 86_400_000;

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
  otherRule: own.priceRules[0] ?? '',
  key: own.spareKeys[0] ?? '',
  otherKey: own.spareKeys[1] ?? '',
  device: own.device.device_id,
  codeHost: own.spareHost,
  folder,
  jwks: `${host.api.url}/.well-known/jwks.json`,
  api: host.api.url,
  apiKey: own.key,
});

/** The commands of an operator, one after the other on one organization that has something of every noun. */
const OPERATORS = [
  'status --api {api}',
  'org show {org}',
  'org list',
  'org set {org} --name Widgets --timezone Asia/Tokyo --session-timeout 900 --k-anonymity 7 --hold-cost 3.5',
  'org set {org} --admin-email a@example.com b@example.com --focus-close-day 9 --hash-names on --hold-tokens 50000 --k-population members',
  'org set {org} --session-timeout 1',
  'org set {org}',
  'org set org_none --session-timeout 5',
  'org set {org} --k-population ghosts',
  'org set {org} --admin-email ada',
  'org create Acme --plan team --timezone Europe/Berlin',
  'org create Acme --plan none',
  'org create Acme --timezone Mars/Olympus',
  "org create ''",
  'org show org_none',
  'plan {org} enterprise',
  'plan {org} gold',
  'connect claude-code --org {org} --user-id ada --api https://governor.example',
  'connect otel --org {org} --project-id shop',
  'connect gemini --api https://governor.example/',
  ...['codex', 'qwen', 'copilot', 'opencode', 'litellm'].map(
    (tool) => `connect ${tool} --org {org} --api https://governor.example`,
  ),
  'connect none --org {org}',
  'connect otel --api governor.example',
  // As a shell gives a variable that is not set.
  "connect otel --api https://governor.example --user-id ''",
  'code-host create {org} --provider github --name Hub',
  'code-host list {org}',
  'code-host delete {org} {codeHost}',
  'code-host delete {org} {codeHost}',
  'destination list {org}',
  'destination show {destination}',
  'destination add {org} --kind folder --name Books --prefix books --level daily:csv sessions:parquet --since 2031-01-01 --hour 5 --paused',
  'destination add {org} --kind folder --name Books --level daily:none',
  'destination add {org} --name x --prefix x --level focus:csv --secret-file /dev/null',
  'destination add {org} --name x --prefix x --kind folder --level focus:csv --endpoint https://eu.s3.example.com',
  'destination add {org} --name x --prefix x --kind folder --level focus',
  'destination add {org} --name x --prefix x --kind folder --level focus:xml',
  'destination pause {destination}',
  'destination run {destination}',
  'destination resume {destination}',
  'destination test {destination}',
  'destination run {destination} --from 2031-01-10 --to 2031-01-12',
  'destination runs {destination} --limit 2',
  'destination remove {spare}',
  'destination show {spare}',
  'member list {org}',
  'member list org_none',
  'member add {org} ada',
  "member add {org} ada@example.com --user-id ''",
  'member add {org} ada@example.com --idp-subject s',
  "member identity {org} ada --idp-issuer https://idp.example --idp-subject ''",
  "member teams {org} ada ''",
  'member export {org} nobody',
  'member remove {org} grace',
  'member add {org} zoe@example.com --user-id zoe --name Zoë --role admin --team red blue',
  'member add {org} zoe@example.com --user-id zoe',
  'member teams {org} zoe green',
  'member identity {org} zoe --idp-issuer https://idp.example --idp-subject zoe',
  'member export {org} bob',
  'member remove {org} zoe --made keep',
  'member remove {org} zoe --made keep',
  'member erase {org} dan --made revoke',
  'key create {org} --scope signals:write usage:read --name ci --user-id ada --expires-at 2031-06-01T00:00:00Z',
  'key list org_none',
  'key create {org}',
  'key create {org} --scope none',
  "key create {org} --scope org:read --user-id ''",
  'key create {org} --scope org:read --expires-at 5',
  'key create {org} --scope org:read --expires-at 2020-01-01',
  'key rotate {key} --grace 999999999999999',
  'key rotate {key} --grace 3600',
  'key revoke {otherKey}',
  'key revoke key_none',
  'key list {org}',
  'device revoke {device}',
  'device revoke dev_none',
  'credits plans',
  'credits grant {org} ada 100 --key one --expires-at 2031-02-01',
  'credits grant {org} ada 100 --key one --expires-at 2031-02-01',
  'credits grant {org} ada 99 --key one',
  'credits grant {org} ada 0',
  'credits grant {org} ada 1.5',
  'credits grant {org} ada 1000000001',
  'credits grant {org} ada 9007199254740992',
  'credits grant {org} ada -- -1',
  "credits grant {org} ada 5 --key ''",
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
  'webhook list --org org_none',
  'webhook enable {webhook}',
  'webhook enable whk_none',
  'webhook-secrets rotate',
  '--data {folder} signing-key rotate',
  'verify {folder}/receipt.txt --jwks {jwks}',
  'verify {folder}/none.txt --jwks {jwks}',
  'verify {folder}/daily.json --jwks {jwks}',
  'verify {folder}/blank.txt --jwks {jwks}',
  'verify /dev/null --jwks {jwks}',
  'verify package.json --jwks README.md',
  'verify package.json --jwks http://127.0.0.1:1/',
  'usage reconcile {org} --check',
  'usage reconcile {org} --from 2031-01-01',
  'usage reconcile --from 2026-02-31',
  'usage reconcile org_none',
  'usage purge',
  'rebuild',
  'analytics freeze {org}',
  'replay {folder}/trace.csv --format azure-llm --users 1 --run-id one --api {api} --key {apiKey}',
  'replay {folder}/trace.csv --format azure-llm --users 1 --run-id one --api {api} --key {apiKey}',
  '--data {folder} replay {folder}/trace.csv --format azure-llm',
  'prices list --api {api} --key {apiKey}',
  'cost --by project,model --api {api} --key {apiKey}',
  'no-such-command',
];

/** Those of people, with a key of every scope. */
const PEOPLE = [
  'cost --from 2031-01-01 --by person,model',
  'cost --last-month --by project --csv',
  'cost',
  '--json cost --from 2031-01-01 --by model',
  'cost --last-week --by none',
  'cost --by person,model,tool',
  'cost --last-week --from 2031-01-01',
  'cost --from yesterday',
  'check --user-id ada',
  '--json check --user-id ada',
  'check --user-id nobody --doctor',
  'check --api localhost:8080',
  'check --key ugk_x',
  'raise --amount 20 --for 2h --note More',
  '--json raise --amount 3',
  'raise --budget bud_none --amount 20',
  'prices list',
  'prices add --name GPUs --from 2031-01-10 --provider vllm --input 0.2 --output 0.6 --tool search=0.01',
  'prices add --name Off --from 2031-01-10 --model gpt-4o-mini --discount 15',
  'prices add --name None --from 2031-01-10',
  'prices add --name None --model gpt-4o-mini --free',
  'prices end {rule} --at 2031-03-01',
  'prices end {otherRule}',
  'prices end prl_none',
  'prices quote --model gpt-4o-mini --provider openai --tokens-in 1000000 --tokens-out 2000 --cache-read 100',
  'prices quote --model claude-opus-4-8 --tokens-in 100000 --tokens-out 10000',
  'prices quote --model none --tokens-in 10',
  'prices quote --model none --tokens-in 1.5',
  'prices reprice --from 2031-01-01 --only-unpriced',
  'prices reprice --from 2030-11-01',
  'pr report --repository github.com/acme/shop --number 12 --branch cart --state merged --opened-at 2031-01-14T09:00:00Z --closed-at 2031-01-15T10:00:00Z --title Cart',
  'pr summary --repository github.com/acme/shop --number 12',
  'pr summary --repository github.com/acme/shop --number 12 --format text',
  '--json pr summary --repository github.com/acme/shop --number 12',
  'pr summary --repository github.com/acme/shop --number 99',
  'pr summary --repository /srv/shop --number 12',
  'pr summary --number 12 --format html',
  'pr summary',
  'pr report',
  'pr report --number 1 --state open',
  'context --no-task',
  'context --session s-1 --task SHOP-412',
  'import claude-code {folder}/.claude',
  'import claude-code {folder}/.claude --user-id ada',
  'import claude-code {folder}/none',
  'import ccusage {folder}/ccusage.json --user-id ada',
  'import ccusage {folder}/ccusage.json --user-id ada',
  'import ccusage {folder}/daily.json',
  'import ccusage {folder}/half.json',
  'import ndjson {folder}/signals.ndjson',
  'import none {folder}',
  'sync --once --tool claude-code --user-id ada --cursor {folder}/cursor.json',
  'sync --once --tool claude-code --user-id ada --cursor {folder}/cursor.json',
  'sync --once --tool codex --cursor {folder}/cursor.json',
  'sync --once --tool none',
];

/** Whatever else differs from run to run: secrets, times that something took, and the width of columns. */
const MASKS: Masks = [
  [/\b([a-z]{2,4})_[0-9A-Za-z]{16,}([._][\w-]+)?/g, '$1_…'],
  [/(ugk_)[\w.-]+/g, '$1…'],
  [/(secret: ).+/g, '$1…'],
  [/\b[0-9a-f]{64}\b/g, 'HASH'],
  [/\b\d+( ms| s ahead)\b/g, '#$1'],
  [/^(seconds|signals_?per_?second): .+/gim, '$1: #'],
  // Columns are as wide as what is in them.
  [/ {2,}/g, '  '],
  // Budgets are evaluated beside what asks for it.
  [/\d+ +\d+( +\d+ .* evaluate-budgets)/g, '# #$1'],
];

async function withoutRandom(text: string): Promise<string> {
  const keys = await apiKeyRows(host.ctx).find().toArray();
  const here = keys.reduce((all, { _id }) => all.replaceAll(_id, 'KEY'), text.replaceAll(folder, 'FOLDER'));
  return masked(here, MASKS);
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
  const ids: Record<string, string> = idsOf();
  const seen: string[] = [];
  for (const line of lines) {
    const words = line
      .split(' ')
      .map((word) => (word === "''" ? '' : word.replace(/\{(\w+)\}/, (_, name) => ids[name] ?? '')));
    const { stdout, stderr, code } = await run(...words).then(
      (written) => ({ ...written, code: 0 }),
      (failed: Failed) => failed,
    );
    const said = await withoutRandom(stdout + (stderr && `stderr: ${stderr.split('\nUsage:')[0]}`));
    const text = said.split('\n').filter((one) => one !== '');
    seen.push(`$ governor ${line}`, ...(UNORDERED.test(line) ? text.toSorted() : text));
    if (code !== 0) seen.push(`exit code ${code}`);
    seen.push('');
  }
  return seen.join('\n');
}

test('each command of operators says the same, whatever the day, and each change is in the audit log', async () => {
  const said = await transcript(OPERATORS, host.env, 'operators');
  await expect(said).toMatchFileSnapshot('transcript-of-operators.txt');
  const acts = await auditRows(host.ctx).find({ actor: 'cli' }).toArray();
  const counts = Map.groupBy(acts, ({ action }) => action);
  const logged = [...counts].map(([action, { length }]) => `${action} ${length}`).toSorted();
  await expect(`${logged.join('\n')}\n`).toMatchFileSnapshot('audit-of-operators.txt');
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
  const seen: string[] = [];
  const writeOut = (text: string) => seen.push(text);
  const help = (command: Command) => {
    command.configureOutput({ writeOut, getOutHelpWidth: () => 100, getOutHasColors: () => false });
    command.outputHelp();
    for (const one of command.commands) {
      writeOut('\n');
      help(one);
    }
  };
  help(create({}));
  await expect(seen.join('')).toMatchFileSnapshot(`help-of-${who}.txt`);
});
