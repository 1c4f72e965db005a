/** Rules that are data in, data out (below `shared/`). */
const PURE = [
  'platform/basics/contract',
  'platform/basics/clock',
  'platform/basics/errors',
  'platform/basics/ids',
  'platform/basics/text',
  'core/pricing/[^/]+',
  'core/calls/sessions/assign',
  'core/limits/budgets/rules/calendar-windows',
  'core/limits/budgets/rules/evaluate',
  'wings/anomalies/detect',
  'wings/analytics/suppress',
  'wings/analytics/decide-late',
  'core/events/webhooks/sending/decide-attempt',
  'core/calls/signals/repository',
  'core/calls/signals/repository-field',
  'core/calls/signals/place',
  'wings/work/code-hosts/events/[^/]+',
  'wings/work/pull-requests/report',
  'core/calls/signals/pull-request-label',
  'wings/work/attribution/decide-work',
  'wings/work/attribution/resolve-pull-request',
  'core/calls/adapters/adapt',
  'core/calls/adapters/base',
  'core/calls/adapters/claude-code',
  'core/calls/adapters/count-once',
  'core/calls/adapters/codex',
  'core/calls/adapters/dialects',
  'core/calls/adapters/fields',
  'core/calls/adapters/first-enclosing',
  'core/calls/adapters/gemini',
  'core/calls/adapters/posted',
  'core/calls/adapters/read-request',
  'core/calls/adapters/spans',
  'core/calls/adapters/otlp/[^/]+',
];

/** Wings that a wing may import. */
const NEEDS = require('./shared/tables/needs.json');

/** The one way that data flows, as rules: env -> config -> context -> route or worker -> domain function -> store. */
module.exports = {
  forbidden: [
    {
      name: 'files-import-one-way',
      comment: 'no two files import each other, by whatever way round; types count',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'folders-import-one-way',
      comment: 'no two folders import each other, by whatever way round; types count',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'platform-knows-no-noun',
      severity: 'error',
      from: { path: '^shared/platform/' },
      to: { path: '^shared/(?!platform/)' },
    },
    {
      name: 'core-knows-no-wing',
      comment:
        'what every customer uses stands without what some do; a wing takes part by its row in shared/tables',
      severity: 'error',
      from: { path: '^shared/core/' },
      to: { path: '^shared/(wings|people|tables)/' },
    },
    {
      name: 'wings-apart',
      severity: 'error',
      from: { path: '^shared/wings/([^/]+)/', pathNot: `^shared/wings/(${Object.keys(NEEDS).join('|')})/` },
      to: { path: '^shared/(wings/(?!$1/)|people/|tables/)' },
    },
    ...Object.entries(NEEDS).map(([wing, needed]) => ({
      name: `${wing}-needs-${needed.join('-and-')}`,
      severity: 'error',
      from: { path: `^shared/wings/${wing}/` },
      to: { path: `^shared/(wings/(?!(${[wing, ...needed].join('|')})/)|people/|tables/)` },
    })),
    {
      name: 'people-know-no-wing',
      severity: 'error',
      from: { path: '^shared/people/' },
      to: { path: '^shared/(wings|tables)/' },
    },
    {
      name: 'shared-imports-no-process',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(api|workers|scripts|test)/' },
    },
    {
      name: 'api-and-workers-apart',
      severity: 'error',
      from: { path: '^api/' },
      to: { path: '^(workers|scripts|test)/' },
    },
    {
      name: 'workers-and-api-apart',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: '^(api|scripts|test)/' },
    },
    {
      name: 'packages-import-no-server',
      comment: 'what is bundled for people’s own machines reads pure files only',
      severity: 'error',
      from: { path: '^packages/governor/' },
      to: {
        path: [
          '^(api|workers|scripts|test)/',
          '^packages/(?!governor/)',
          '^shared/platform/(mongo|context|redis|queues|due|mail)/',
        ],
      },
    },
    {
      name: 'packages-import-no-script',
      comment: 'a script starts or composes what packages have, and not the other way round',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'server-imports-no-stack',
      comment: 'the stores of a machine for development are none of the server',
      severity: 'error',
      from: { path: '^(api|workers|shared)/' },
      to: { path: '^packages/stack/' },
    },
    {
      name: 'processes-take-the-tables',
      comment:
        'a process is made from the tables: by its main file, the list of its jobs, its probe, the board of its queues',
      severity: 'error',
      from: {
        path: '^(api|workers|packages)/',
        pathNot: [
          '^(api|workers)/main\\.ts$',
          '^workers/(index|probe)\\.ts$',
          '^api/(routes/get-readiness|operations/board)\\.ts$',
          '^packages/bench/',
        ],
      },
      to: { path: '^shared/tables/' },
    },
    {
      name: 'product-imports-no-tools',
      comment: 'benchmarks, planted faults and played clients measure the product; it knows nothing of them',
      severity: 'error',
      from: { path: ['^(api|workers|shared|scripts)/'] },
      to: { path: ['^packages/(bench|mutation|clients)/'] },
    },
    {
      name: 'product-imports-no-tests',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'pure-files-do-no-io',
      comment: 'a rule that is data in, data out stays testable without a store',
      severity: 'error',
      from: { path: PURE.map((file) => `^shared/${file}\\.ts$`) },
      to: {
        path: [
          '^shared/platform/(mongo|queues|redis|context|due|mail)/',
          '^node_modules/(mongoose|bullmq|ioredis|undici)/',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'dashboard-imports-only-types-from-the-server',
      comment: 'what runs in a browser is not what runs in a process',
      severity: 'error',
      from: { path: '^packages/dashboard/' },
      to: {
        path: '^(shared|workers|scripts|test|api)/',
        // Text and names alone, which import nothing.
        pathNot: '^shared/core/(calls/adapters/connect-settings|credits/buckets)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'server-imports-no-page',
      severity: 'error',
      from: { pathNot: '^(packages/dashboard|test)/' },
      to: { path: '^packages/dashboard/' },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(node_modules|\\.stores|packages/dashboard/(dist|vite\\.config\\.ts))' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
