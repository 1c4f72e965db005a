/** US dollars: 2 decimals, 4 below one cent. */
export function money(usd: number): string {
  const isTiny = usd !== 0 && Math.abs(usd) < 0.01;
  const digits = isTiny ? 4 : 2;
  return usd.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
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

export function percent(ratio: number, digits = 1): string {
  return `${(ratio * 100).toFixed(digits)} %`;
}

/** An amount of a budget or an anomaly in its own unit. */
export function amount(metric: string, value: number): string {
  return metric === 'cost_usd' ? money(value) : compact(value);
}

/** Seconds as people say them. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3_600)}h`;
}

/** In the viewer's timezone; with the year unless it is this one. */
export function dateTime(iso: string | number, nowMs: number = Date.now()): string {
  const at = new Date(iso);
  const isThisYear = at.getFullYear() === new Date(nowMs).getFullYear();
  return at.toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  });
}

export function ago(iso: string | number, nowMs: number = Date.now()): string {
  const seconds = Math.round((nowMs - new Date(iso).getTime()) / 1_000);
  if (seconds < 0) return `in ${duration(-seconds)}`;
  return seconds < 5 ? 'just now' : `${duration(seconds)} ago`;
}

/** The start of a bucket, as an axis shows it. */
export function bucketLabel(iso: string, interval: string, timezone: string): string {
  const options: Intl.DateTimeFormatOptions =
    interval === 'hour'
      ? { hour: '2-digit', minute: '2-digit' }
      : interval === 'month'
        ? { month: 'short', year: 'numeric' }
        : { day: 'numeric', month: 'short' };
  return new Date(iso).toLocaleString('en-GB', { ...options, timeZone: timezone });
}
