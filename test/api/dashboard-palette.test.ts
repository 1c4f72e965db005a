import { expect, test } from 'vitest';
import { actionsNamed } from '../../packages/dashboard/frame/actions.ts';
import { PALETTE_WINGS } from '../../packages/dashboard/wings/palette.ts';
import { FOUND_KINDS } from '../../shared/core/hooks/found.ts';

const names = (role: 'admin' | 'member', text: string) => actionsNamed(role, text).map(({ name }) => name);

test.each([
  ['invite', ['Invite people']],
  ['New Budget', ['New budget']],
  ['create key', ['New key', 'Connect a tool']],
  ['new chan', ['New channel']],
  ['slack', ['New channel']],
  ['export', ['Download a file of last month', 'New export destination']],
  ['code host', ['Add a code host']],
  ['ew', []],
  ['', []],
] as const)('an action is found by the beginnings of its words: %s', (text, found) => {
  expect(names('admin', text)).toEqual(found);
});

test('a member is offered what a member may do', () => {
  expect(names('member', 'new')).toEqual(['Connect a tool']);
  for (const text of ['invite', 'new budget', 'webhook', 'destination'])
    expect(names('member', text), text).toEqual([]);
});

test('a wing names the kinds that it finds', () => {
  const kinds = PALETTE_WINGS.flatMap((wing) => Object.keys(wing.kinds ?? {}));
  expect(kinds).toEqual(['pull_request', 'branch']);
  expect(kinds.filter((kind) => !FOUND_KINDS.some((known) => known === kind))).toEqual([]);
});
