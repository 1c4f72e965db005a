import { compact, percent } from './format.ts';

/** ▲ 26 % more than the 7 days before. Pure. */
export function changeWords(now: number, before: number, than: string): string {
  if (now === before) return 'no change';
  if (before === 0) return `none in ${than}`;
  const ratio = Math.abs(now - before) / before;
  const share = ratio < 0.1 && ratio >= 0.01 ? `${(ratio * 100).toFixed(1)} %` : moreShort(ratio);
  return now > before ? `▲ ${share} more than ${than}` : `▼ ${share} less than ${than}`;
}

function moreShort(ratio: number): string {
  return ratio < 0.01 ? percent(ratio) : `${compact(Math.round(ratio * 100))} %`;
}
