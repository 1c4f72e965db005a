/** By timezone and language, of which there are few hundred. */
const moments = new Map<string, Intl.DateTimeFormat>();

/** A moment in a timezone, in words: "1 Dec, 09:00 CET". A time that is none stays as it is. */
export function sayMoment(instant: string, timeZone = 'UTC'): string {
  const epochMs = Date.parse(instant);
  if (Number.isNaN(epochMs)) return instant;
  // British English names the zones of Europe, American English those of America. The others are an offset in both.
  const names = ['en-GB', 'en-US'].map((language) => zoneName(language, timeZone, epochMs));
  const zone = names.find((name) => !/\d/.test(name)) ?? names[0];
  return `${momentFormat('en-GB', timeZone).format(epochMs)} ${zone}`;
}

function zoneName(language: string, timeZone: string, epochMs: number): string {
  const parts = momentFormat(language, timeZone, 'short').formatToParts(epochMs);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

function momentFormat(language: string, timeZone: string, timeZoneName?: 'short'): Intl.DateTimeFormat {
  const key = `${language} ${timeZone} ${timeZoneName}`;
  const format =
    moments.get(key) ??
    new Intl.DateTimeFormat(language, {
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone,
      ...(timeZoneName ? { timeZoneName } : {}),
    });
  moments.set(key, format);
  return format;
}
