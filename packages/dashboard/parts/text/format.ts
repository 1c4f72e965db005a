/** US dollars: 2 decimals, 4 below one cent; what rounds to nothing there is less than the least of them, "<$0.0001". */
export function money(usd: number): string {
  const size = Math.abs(usd);
  if (usd !== 0 && size < 0.00005) return usd > 0 ? '<$0.0001' : '>-$0.0001';
  const digits = usd !== 0 && size < 0.01 ? 4 : 2;
  return usd.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** The cost of calls: exact, at least, or that no price is known. */
export function costWords({
  cost_usd,
  unpriced_signals,
}: {
  cost_usd: number;
  unpriced_signals: number;
}): string {
  if (unpriced_signals === 0) return money(cost_usd);
  return cost_usd === 0 ? 'no price' : `≥ ${money(cost_usd)}`;
}

/** US dollars where there is little room: $78.9K from ten thousand on. */
export function shortMoney(usd: number): string {
  if (Math.abs(usd) < 10_000) return money(usd);
  return usd.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    notation: 'compact',
    maximumFractionDigits: 1,
  });
}

/** US dollars of an axis, whose ticks have few digits: all of these below ten dollars, $24K from a thousand on. */
export function axisMoney(usd: number): string {
  if (Math.abs(usd) < 10 && !Number.isInteger(usd)) {
    return usd.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });
  }
  return usd.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    notation: Math.abs(usd) < 1_000 ? 'standard' : 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  });
}

/** How much more than usual, as a share of it: +13 %, +1,028 %, +2.8M %. */
export function more(pct: number): string {
  return `+${compact(Math.round(pct))} %`;
}

export function exact(count: number): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 4 });
}

/** Four digits at most: 9,812, 12.3K, 584K, 1.2M. */
export function compact(count: number): string {
  if (Math.abs(count) < 10_000) return exact(count);
  return count.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
}

/** A share: 41 %; of more than nothing it is never 0. */
export function percent(ratio: number, digits = 1): string {
  if (ratio > 0 && ratio < 0.01) return '<1 %';
  return `${exact(Number((ratio * 100).toFixed(digits)))} %`;
}

/** An amount of a budget or an anomaly in its own unit. */
export function amount(metric: string, value: number): string {
  return metric === 'cost_usd' ? money(value) : compact(value);
}
