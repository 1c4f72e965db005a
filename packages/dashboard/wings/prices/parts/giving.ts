import { useState } from 'react';
import { Problem } from '../../../data/client.ts';
import { idempotencyKey, useAct } from '../../../data/use-act.ts';
import {
  type AskedRepricing,
  applyRepricing,
  cancelRepricing,
  createRule,
  deleteRule,
  type NewRule,
  previewRepricing,
  type Repricing,
  RULES,
} from '../queries.ts';

/** The time whose calls are priced anew. */
export interface Reached {
  from: string;
  to: string;
}

/** Rules that are to be made, each with the header by which a second attempt makes it once. */
interface Wanted {
  reached: Reached;
  rules: readonly { body: NewRule; header: ReturnType<typeof idempotencyKey> }[];
}

/**
 * The steps of giving models a price: rules are made, a preview shows what they do to recorded calls, and it is applied or
 * everything is taken back. Each step may fail and be tried again.
 */
export function useGiving() {
  const [wanted, want] = useState<Wanted | null>(null);
  const [rules, setRules] = useState<readonly { id: string }[]>([]);
  const [preview, setPreview] = useState<Repricing | null>(null);
  const [applying, setApplying] = useState<string | null>(null);
  const go = useAct(
    async (asked: Wanted) => {
      want(asked);
      const made = [...rules];
      for (const { body, header } of asked.rules.slice(made.length)) {
        made.push(await createRule(body, header));
        setRules([...made]);
      }
      setPreview(await previewRepricing(askedOf(asked)));
    },
    { changes: RULES },
  );
  const apply = useAct(async () => preview && applyRepricing(preview.id), {
    changes: [],
    onDone: (begun) => setApplying(begun?.id ?? null),
  });
  const takeBack = useAct(
    async () => {
      if (preview) await unlessGone(cancelRepricing(preview.id));
      for (const { id } of rules) await unlessGone(deleteRule(id));
      setPreview(null);
      setRules([]);
      go.reset();
      apply.reset();
    },
    { changes: RULES, done: 'The price is taken back. No recorded call has changed.' },
  );
  const begin = (reached: Reached, bodies: readonly NewRule[]) =>
    go.mutate({ reached, rules: bodies.map((body) => ({ body, header: idempotencyKey() })) });
  const again = () => {
    apply.reset();
    if (wanted) go.mutate(wanted);
  };
  return { wanted: wanted?.rules.length ?? 0, rules, preview, applying, go, begin, again, apply, takeBack };
}

/** Calls without a price alone: all others keep the cost that they have. */
function askedOf({ reached, rules }: Wanted): AskedRepricing {
  const [only, ...others] = rules.map(({ body }) => body.match?.model);
  return { ...reached, ...(only && others.length === 0 ? { model: only } : {}), only_unpriced: true };
}

export type Giving = ReturnType<typeof useGiving>;

/** Another person may have deleted it. */
async function unlessGone(act: Promise<void>): Promise<void> {
  await act.catch((error: unknown) => {
    if (!(error instanceof Problem && error.status === 404)) throw error;
  });
}
