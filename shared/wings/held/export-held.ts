import type { Member } from '../../core/accounts/organizations/model.ts';
import { viewSignal } from '../../core/calls/signals/view.ts';
import type { PersonRecord } from '../../core/hooks/wing.ts';
import type { Context } from '../../platform/context/context.ts';
import { heldRows } from './model.ts';
import { viewHeld } from './view.ts';

export async function* exportHeld(ctx: Context, { org_id, user_id }: Member): AsyncGenerator<PersonRecord> {
  for await (const held of heldRows(ctx).find({ org_id, user_id })) {
    const { parts, ...draft } = held.signal;
    const said = { repository: parts?.place?.repository ?? null, branch: parts?.place?.branch?.text ?? null };
    const signal = { ...viewSignal({ ...draft, session_id: '' }, new Map()), ...said };
    yield {
      kind: 'held_signal',
      data: { ...viewHeld(held), signal: { ...signal, task: parts?.task?.text ?? null } },
    };
  }
}
