import { describeSchema } from '../../exports/focus/export-focus.ts';
import type { Destination } from '../model.ts';
import type { ObjectStore } from '../stores/store.ts';

/** Writes the description of the columns beside FOCUS files, where it is not there as it should be. */
export async function writeMetadata(store: ObjectStore, { prefix, levels }: Destination): Promise<void> {
  for (const { focus_version } of levels) {
    if (focus_version === undefined) continue;
    const key = `${prefix}/focus/${focus_version}/focus_metadata.json`;
    const text = `${JSON.stringify(describeSchema(focus_version), null, 2)}\n`;
    if ((await store.read(key))?.text !== text) await store.putText(key, text, 'any');
  }
}
