import type { Anchor, CreditAccount } from './model.ts';

/** `31T14:23:05[Europe/Berlin]` */
export function encodeAnchor({ day, time, timezone }: Anchor): string {
  return `${day}T${time}[${timezone}]`;
}

export function decodeAnchor(text: string): Anchor {
  const [, day, time, timezone] = /^(\d+)T([\d:]+)\[(.+)\]$/.exec(text) ?? [];
  if (!day || !time || !timezone) throw new Error(`Not an anchor: ${text}`);
  return { day: Number(day), time, timezone };
}

/** The Redis hash of an account that has spent nothing yet, as field, value, … */
export function firstFields(account: CreditAccount): string[] {
  const { plan, org_id, user_id } = account;
  const anchor = encodeAnchor(account.anchor);
  return ['seq', '0', 'at', '0', 'plan', plan, 'anchor', anchor, 'org', org_id, 'user', user_id];
}
