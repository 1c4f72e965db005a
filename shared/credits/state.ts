import type { Anchor } from './model.ts';

/** `31T14:23:05[Europe/Berlin]` */
export function encodeAnchor({ day, time, timezone }: Anchor): string {
  return `${day}T${time}[${timezone}]`;
}

export function decodeAnchor(text: string): Anchor {
  const [, day, time, timezone] = /^(\d+)T([\d:]+)\[(.+)\]$/.exec(text) ?? [];
  if (!day || !time || !timezone) throw new Error(`Not an anchor: ${text}`);
  return { day: Number(day), time, timezone };
}
