/** `npm run bench -- NAME [options]`: each starts its own stores, is bounded, prints a table and a JSON line. */
const BENCHES: Record<string, (args: string[]) => Promise<void>> = {
  usage: async (args) => (await import('./usage.ts')).runUsageBench(args),
};

const [name = '', ...args] = process.argv.slice(2);
const run = BENCHES[name];
if (!run) {
  console.error(`There is no bench "${name}": ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(1);
}
await run(args);
