/** `npm run bench -- NAME`: each starts its own stores, is bounded, and prints a table and a JSON line. */
const BENCHES: Record<string, () => Promise<(args: string[]) => Promise<void>>> = {
  evaluate: async () => (await import('./evaluate.ts')).runEvaluateBench,
};

const [name = '', ...args] = process.argv.slice(2);
const load = BENCHES[name];
if (!load) {
  console.error(`Which one? ${Object.keys(BENCHES).join(', ')}`);
  process.exit(1);
}
await (await load())(args);
