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
      name: 'tables-are-the-top',
      comment: 'a table names every noun, so a noun that imports one would know all the others',
      severity: 'error',
      from: { path: '^shared/(?!tables/)' },
      to: { path: '^shared/tables/' },
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
        path: '^shared/(platform/basics/(contract|clock|errors|ids|text|iso-time)|pricing/.*|sessions/assign|budgets/(periods|evaluate)|anomalies/detect|analytics/suppress|adapters/(adapt|base|claude-code|count-once|codex|dialects|fields|gemini|name-user|posted|read-request|spans|otlp/.*))\\.ts$',
      },
      to: {
        path: '^(shared/platform/(mongo|queues|redis|context|due|mail)/|node_modules/(mongoose|bullmq|ioredis|undici))',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'dashboard-imports-only-types-from-the-server',
      comment: 'what runs in a browser is not what runs in a process',
      severity: 'error',
      from: { path: '^api/dashboard/' },
      to: {
        path: '^(shared|workers|scripts|test|api/(?!dashboard/))',
        // Text alone, which imports nothing.
        pathNot: '^shared/adapters/connect-settings\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'server-imports-no-page',
      severity: 'error',
      from: { pathNot: '^(api/dashboard|test)/' },
      to: { path: '^api/dashboard/' },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(node_modules|\\.stores|api/dashboard/(dist|vite\\.config\\.ts))' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
