import { DAY_MS } from '../../../platform/basics/interval.ts';
import type { Context } from '../../../platform/context/context.ts';
import { few } from '../../../platform/context/few.ts';
import { partId, type Repricing, type RepricingPart, repricingPartRows } from './model.ts';
import { packPart, type RepricedSignal } from './pack-part.ts';
import type { RecordedCall } from './read-calls.ts';

/** Calls of a part: as many as one transaction changes well. */
const CHANGING_CALLS = 300;
const STAYING_CALLS = 2_000;
/** Calls that are put in order together, by day and session: a transaction meets few windows of budgets, and few sessions. */
const ORDERED_CALLS = 5_000;

/** Writes the calls of a preview in parts, those that change by their sessions. */
export function openParts(ctx: Context, of: Pick<RepricingPart, 'org_id' | 'parts_set' | 'created_at'>) {
  let changing: (RepricedSignal & { day: number; session: string })[] = [];
  let staying: RepricedSignal[] = [];
  const counted: Pick<Repricing, 'parts' | 'staying_parts'> = { parts: 0, staying_parts: 0 };
  const write = async (kind: 'changing' | 'staying', signals: readonly RepricedSignal[]) => {
    const at = kind === 'changing' ? counted.parts++ : counted.staying_parts++;
    const row = { _id: partId(of.parts_set, kind, at), ...of, packed: packPart(signals) };
    await repricingPartRows(ctx).insertOne(row);
  };
  const most = few(ctx, CHANGING_CALLS);
  const writeChanging = async () => {
    const ordered = changing.toSorted((a, b) => a.day - b.day || (a.session < b.session ? -1 : 1));
    changing = [];
    for (let from = 0; from < ordered.length; from += most)
      await write('changing', ordered.slice(from, from + most));
  };
  const writeStaying = async () => {
    const some = staying;
    staying = [];
    if (some.length > 0) await write('staying', some);
  };
  return {
    /** Takes signals and, in the same order, the calls that they are. */
    add: async (signals: readonly RepricedSignal[], calls: readonly RecordedCall[]): Promise<void> => {
      for (const [at, signal] of signals.entries()) {
        const { ts, session_id: session } = calls[at] as RecordedCall;
        if (signal.after === null) staying.push(signal);
        else changing.push({ ...signal, day: Math.floor(ts.getTime() / DAY_MS), session });
      }
      if (changing.length >= ORDERED_CALLS) await writeChanging();
      if (staying.length >= STAYING_CALLS) await writeStaying();
    },
    end: async () => {
      await writeChanging();
      await writeStaying();
      return counted;
    },
  };
}
