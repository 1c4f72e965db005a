import type { Command } from 'commander';

/** The commands under each heading of `governor --help`, in this order. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Set up:': [
    'org',
    'plan',
    'connect',
    'code-host',
    'destination',
    'prices',
    'signing-key',
    'webhook-secrets',
  ],
  'People and keys:': ['member', 'key', 'device', 'credits'],
  'Look:': ['status', 'cost', 'doctor', 'due', 'webhook', 'check', 'raise', 'verify'],
  'Repair:': ['usage', 'rebuild', 'analytics'],
  'Data:': ['import', 'sync', 'context', 'pr', 'replay', 'mcp'],
};

/** Examples below the help of a command; '' is the help of them all. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '': [
    'governor status',
    'governor org create Acme --plan team',
    'governor key create org_… --scope signals:write usage:read',
    'governor <command> --help',
  ],
  org: [
    'governor org create Acme --plan team --timezone Europe/Berlin',
    'governor org set org_… --session-timeout 3600',
  ],
  member: ['governor member add org_… ada@acme.example --role admin', 'governor member list org_…'],
  key: [
    'governor key create org_… --scope signals:write usage:read --name ci',
    'governor key rotate key_… --grace 3600',
  ],
  credits: ['governor credits grant org_… usr_… 100', 'governor credits ledger org_… usr_… --limit 5'],
  connect: ['governor connect claude-code --org org_… --user-id ada'],
  'code-host': [
    'governor code-host create org_… --provider github --name "Acme on GitHub"',
    'governor code-host list org_…',
  ],
  destination: [
    'governor destination add org_… --kind folder --name Finance --prefix governor --level focus:parquet',
    'governor destination list org_…',
    'governor destination run dst_… --from 2026-11-01 --wait',
  ],
  prices: [
    'governor prices add --name GPUs --from 2026-10-01 --provider vllm --input 0.2 --output 0.6',
    'governor prices list',
    'governor prices reprice --from 2026-11-01 --only-unpriced --apply',
  ],
  webhook: ['governor webhook list --failing', 'governor webhook enable whk_…'],
  raise: ['governor raise --amount 20 --for 2h --wait', 'governor raise --budget bud_… --amount 20'],
  usage: ['governor usage reconcile --check', 'governor usage reconcile org_… --from 2026-01-01'],
  import: ['governor import claude-code ~/.claude/projects', 'governor import ndjson calls.ndjson'],
  sync: ['governor sync --tool claude-code codex --once'],
  context: ['governor context --task SHOP-412', 'governor context --no-task'],
  pr: [
    'governor pr report',
    'governor pr report --number 12 --state merged --closed-at 2026-01-12T10:00:00Z',
  ],
  replay: ['governor replay trace.csv --format azure-llm --users 50'],
  cost: [
    'governor cost --last-month --by pull-request',
    'governor cost --from 2026-11-01 --by person,model --csv',
  ],
  due: ['governor due', 'governor due end-session'],
  doctor: ['governor doctor mongo', 'governor --json doctor mongo'],
  status: ['governor status', 'governor --json status'],
};

/** Sorts the commands into their groups and adds the examples. Every command belongs to one group. */
export function arrangeHelp(program: Command): void {
  const order = Object.values(GROUPS).flat();
  const commands = program.commands as Command[];
  commands.sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()));
  for (const [heading, names] of Object.entries(GROUPS))
    for (const command of commands.filter((one) => names.includes(one.name()))) command.helpGroup(heading);
  for (const [name, lines] of Object.entries(EXAMPLES)) {
    const command = name === '' ? program : commands.find((one) => one.name() === name);
    command?.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }
}
