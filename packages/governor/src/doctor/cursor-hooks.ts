import { join } from 'node:path';
import { objectOf } from '../history.ts';
import { type AskingHook, isAskingCommand, type Machine } from './hook.ts';
import { objectsOf, readSettings } from './settings.ts';

/** Finds what Cursor would ask (https://cursor.com/docs/agent/hooks). Throws for a settings file that is no JSON. */
export function findCursorHooks({ home, cwd }: Machine): AskingHook[] {
  const files = ['/etc/cursor', join(home, '.cursor'), join(cwd, '.cursor')].map((folder) =>
    join(folder, 'hooks.json'),
  );
  return readSettings([...new Set(files)]).flatMap(({ file, content }) =>
    Object.entries(objectOf(content.hooks) ?? {}).flatMap(([event, hooks]) =>
      objectsOf(hooks).flatMap(({ command }) =>
        isAskingCommand(command) ? [{ event, file, asks: { command }, obstacle: null }] : [],
      ),
    ),
  );
}
