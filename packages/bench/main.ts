/** `npm run bench -- NAME [options]`: each bench starts its own stores, is bounded, prints a table and a JSON line. */
const BENCHES: Record<string, () => Promise<(args: string[]) => Promise<void>>> = {
  ingest: async () => (await import('./ingest.ts')).runIngestBench,
  consume: async () => (await import('./consume.ts')).runConsumeBench,
  ledger: async () => (await import('./ledger.ts')).runLedgerBench,
  usage: async () => (await import('./usage.ts')).runUsageBench,
  focus: async () => (await import('./focus.ts')).runFocusBench,
  push: async () => (await import('./push.ts')).runPushBench,
  list: async () => (await import('./list.ts')).runListBench,
  mcp: async () => (await import('./mcp.ts')).runMcpBench,
  'first-pages': async () => (await import('./first-pages.ts')).runFirstPagesBench,
  people: async () => (await import('./people.ts')).runPeopleBench,
  check: async () => (await import('./check.ts')).runCheckBench,
  evaluate: async () => (await import('./evaluate.ts')).runEvaluateBench,
  gate: async () => (await import('./gate.ts')).runGateBench,
  history: async () => (await import('./history.ts')).runHistoryBench,
  growth: async () => (await import('./growth.ts')).runGrowthBench,
  idle: async () => (await import('./idle.ts')).runIdleBench,
  conflicts: async () => (await import('./conflicts.ts')).runConflictsBench,
  'scale-out': async () => (await import('./scale-out.ts')).runScaleOutBench,
  soak: async () => (await import('./soak.ts')).runSoakBench,
  attribution: async () => (await import('./attribution.ts')).runAttributionBench,
  otlp: async () => (await import('./otlp.ts')).runOtlpBench,
  dashboard: async () => (await import('./dashboard.ts')).runDashboardBench,
  'price-rules': async () => (await import('./price-rules.ts')).runPriceRulesBench,
  reprice: async () => (await import('./reprice.ts')).runRepriceBench,
  webhooks: async () => (await import('./webhook-arrival.ts')).runAllWebhooksBench,
};

const [name = '', ...args] = process.argv.slice(2);
const load = BENCHES[name];
if (!load || args.includes('--help')) {
  console.error(`npm run bench -- NAME [options]; NAME is one of ${Object.keys(BENCHES).join(', ')}`);
  console.error('docs/benchmarks.md says what each measures, and its options.');
  process.exit(load ? 0 : 1);
}
await (await load())(args);
process.exit(0);
