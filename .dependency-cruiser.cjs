/** The one way that data flows, as rules: env -> config -> context -> route or worker -> domain function -> store. */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
      from: { path: '^packages/' },
      to: { path: '^(api|workers|scripts|test)/|^shared/(mongo|context|redis/|queues)' },
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
      from: {
        path: '^shared/(contract|clock|errors|ids|pricing/.*|sessions/assign|budgets/(periods|evaluate)|anomalies/detect|analytics/suppress|adapters/(adapt|base|claude-code|codex|dialects|fields|gemini|name-user|posted|read-request|spans|otlp/.*)|credits/(refill|choose))\\.ts$',
      },
      to: {
        path: '^(shared/(mongo|queues|redis/.*|context)\\.ts|node_modules/(mongoose|bullmq|ioredis|undici))',
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(node_modules|\\.stores|api/dashboard)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
