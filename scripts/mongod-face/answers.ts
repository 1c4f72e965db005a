import { answerOf } from './failures.ts';
import { planOf, type Read, readsOf } from './planner.ts';
import type { Rules } from './rules/index.ts';
import { type Command, type Fields, namespaceOf, readAnswer } from './wire.ts';

const VERSION = '8.0.15';

/** The answers that mongod gives and the store does not know; null for every other command. */
export function ownAnswerOf({ name, body }: Command, rules: Rules): Fields | null {
  // https://www.mongodb.com/docs/manual/reference/command/setFeatureCompatibilityVersion/#view-fcv
  if (name === 'getParameter' && body.featureCompatibilityVersion !== undefined)
    return { featureCompatibilityVersion: { version: '8.0' }, ok: 1 };
  return name === 'explain' ? explain(body, rules) : null;
}

/** An answer of the store as mongod would have given it; null where they are the same. These tell a driver with whom it speaks. */
export function asMongod(port: number, { name }: Command, frame: Buffer): Fields | null {
  if (name === 'buildInfo') {
    const { secantusVersion: _, ...answer } = readAnswer(frame);
    return { ...answer, version: VERSION, versionArray: [...VERSION.split('.').map(Number), 0] };
  }
  if (!['hello', 'ismaster', 'isMaster'].includes(name)) return null;
  const { topologyVersion: _, ...answer } = readAnswer(frame);
  const address = `127.0.0.1:${port}`;
  return { ...answer, hosts: [address], me: address, primary: address };
}

/** The plan by the indexes that were made through this face (https://www.mongodb.com/docs/manual/reference/explain-results/). */
function explain({ explain: asked, $db }: Fields, rules: Rules): Fields {
  const body: Fields = { ...(asked as Fields), $db };
  const [name = ''] = Object.keys(body);
  const indexes = rules.indexesOf(namespaceOf({ name, body }));
  const [read] = readsOf({ name, body });
  if (!indexes || !read)
    return answerOf({
      code: 115,
      message: 'The face explains reads by the indexes that were made through it.',
    });
  const winningPlan = stagesOf(read, planOf(read, { indexes }));
  return { explainVersion: '1', queryPlanner: { winningPlan, rejectedPlans: [] }, ok: 1 };
}

function stagesOf({ sort, isLimited }: Read, plan: ReturnType<typeof planOf>): Fields {
  const found = plan
    ? { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: plan.index } }
    : { stage: 'COLLSCAN' };
  const isSorted = plan?.isSorted ?? Object.keys(sort).length === 0;
  const ordered = isSorted ? found : { stage: 'SORT', inputStage: found };
  return isLimited ? { stage: 'LIMIT', inputStage: ordered } : ordered;
}
