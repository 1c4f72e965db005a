import { compact, percent } from './format.ts';

/** A change as it is seen, "▲ 26 %", and the words that say against what, " more than the 7 days before". */
export interface ChangeWords {
  seen: string;
  heard: string;
}

/** The change from the period that `than` names; null where there was nothing before. Pure. */
export function changeWords(now: number, before: number, than: string): ChangeWords | null {
  if (now === before) return { seen: 'no change', heard: ` from ${than}` };
  if (before === 0) return null;
  const ratio = Math.abs(now - before) / before;
  const share = shareOfChange(ratio);
  return now > before
    ? { seen: `▲ ${share}`, heard: ` more than ${than}` }
    : { seen: `▼ ${share}`, heard: ` less than ${than}` };
}

/** A change as a share of what was before. Nobody reads more than ten times as much as a percentage. Pure. */
export function shareOfChange(ratio: number): string {
  if (ratio > 9.99) return '>999 %';
  if (ratio < 0.01) return percent(ratio);
  return ratio < 0.1 ? `${(ratio * 100).toFixed(1)} %` : `${compact(Math.round(ratio * 100))} %`;
}
