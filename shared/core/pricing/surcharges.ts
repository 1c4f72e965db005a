import { divideHalfEven, scaleDecimal } from './money.ts';
import { KCOUNT_PLACES, type Rate, type Rates } from './read-rates.ts';

/** The tier and the region in which a call was served, as it says. */
export interface Service {
  readonly service_tier?: string | undefined;
  readonly region?: string | undefined;
}

/** A page that states a price, and the day on which it was read. */
interface Source {
  readonly source: string;
  readonly read: string;
}

/** A factor of all tokens of some models, by the ids of the price list. Its days are from `from`, inclusive, to `to`, exclusive. */
interface Factor extends Source {
  readonly provider: string;
  readonly models: RegExp;
  readonly tier?: string;
  readonly region?: string;
  readonly factor: number;
  readonly from?: string;
  readonly to?: string;
}

/** A fee in US dollars for a thousand uses of a tool that the vendor runs. */
interface Fee extends Source {
  readonly provider: string;
  readonly tool: string;
  readonly usd: number;
}

const ANTHROPIC = { source: 'https://platform.claude.com/docs/en/about-claude/pricing', read: '2026-08-06' };
const OPENAI = { source: 'https://developers.openai.com/api/docs/pricing', read: '2026-08-27' };
const GOOGLE = { source: 'https://ai.google.dev/gemini-api/docs/optimization', read: '2026-09-24' };
const GROQ = { source: 'https://groq.com/pricing', read: '2026-05-08' };
const XAI = { source: 'https://docs.x.ai/developers/pricing', read: '2026-09-24' };

/** Models of Anthropic that take `inference_geo`: Claude Opus 4.6 and all that came later. */
const WITH_GEO = /^claude-(?:opus-(?:4-[678]|5(?:-5)?)|sonnet-(?:4-6|5)|fable-5(?:-1)?)$/;
const BATCHED =
  /^(?:gpt-(?:3\.5|4o(?:-mini|-2024-05-13)?$|4(?:$|-turbo|\.1)|5(?:\.\d)?(?:-(?:mini|nano|pro|luna|sol|terra))?$|6-)|o[134](?:$|-)|text-embedding-)/;
const FLEXIBLE = /^(?:gpt-5(?:\.\d)?(?:-(?:mini|nano|pro|luna|sol|terra))?|o3|o4-mini)$/;
const GEMINI = /^gemini-(?:2\.5|3(?:\.\d)?)-(?:pro|flash)(?!.*-live)/;
const REGIONAL_GPT = /^gpt-5\.4(?:-pro)?$/;

/** The factors that the price list lacks. */
export const FACTORS: readonly Factor[] = [
  { provider: 'anthropic', models: /^claude-opus-(?:4-8|5)$/, tier: 'fast', factor: 2, ...ANTHROPIC },
  // It is served and billed as without. Until July 2026 it cost six times as much; no call that old can be recorded.
  { provider: 'anthropic', models: /^claude-opus-4-6$/, tier: 'fast', factor: 1, ...ANTHROPIC },
  { provider: 'anthropic', models: /^claude-/, tier: 'batch', factor: 0.5, ...ANTHROPIC },
  { provider: 'anthropic', models: WITH_GEO, region: 'us', factor: 1.1, ...ANTHROPIC },
  {
    provider: 'openai',
    models: /^gpt-5\.(?:4|6-(?:sol|terra|luna))$/,
    tier: 'fast',
    factor: 2,
    from: '2026-07-30',
    ...OPENAI,
  },
  { provider: 'openai', models: /^gpt-5\.5$/, tier: 'fast', factor: 2.5, from: '2026-07-30', ...OPENAI },
  { provider: 'openai', models: BATCHED, tier: 'batch', factor: 0.5, ...OPENAI },
  { provider: 'openai', models: FLEXIBLE, tier: 'flex', factor: 0.5, ...OPENAI },
  ...['us', 'eu'].map((region) => ({
    provider: 'openai',
    models: REGIONAL_GPT,
    region,
    factor: 1.1,
    source: 'https://developers.openai.com/api/docs/models/gpt-5.4-pro',
    read: '2026-09-24',
  })),
  { provider: 'google', models: GEMINI, tier: 'batch', factor: 0.5, ...GOOGLE },
  { provider: 'google', models: GEMINI, tier: 'flex', factor: 0.5, ...GOOGLE },
  { provider: 'groq', models: /./, tier: 'batch', factor: 0.5, ...GROQ },
  { provider: 'x-ai', models: /^grok-/, region: 'us', factor: 1.1, ...XAI },
];

/** The fees that the price list lacks. */
export const FEES: readonly Fee[] = [
  { provider: 'anthropic', tool: 'web_fetch', usd: 0, ...ANTHROPIC },
  { provider: 'x-ai', tool: 'web_search', usd: 5, ...XAI },
  { provider: 'x-ai', tool: 'x_search', usd: 5, ...XAI },
  { provider: 'x-ai', tool: 'code_execution', usd: 5, ...XAI },
  { provider: 'x-ai', tool: 'code_interpreter', usd: 5, ...XAI },
  { provider: 'x-ai', tool: 'attachment_search', usd: 10, ...XAI },
  { provider: 'x-ai', tool: 'collections_search', usd: 2.5, ...XAI },
  { provider: 'x-ai', tool: 'file_search', usd: 2.5, ...XAI },
];

/** The model of an entry of the price list, and who sells it, by the list's ids. */
interface Sold {
  readonly provider: string;
  readonly model: string;
}

/** The tiers and the region of a call, each of which has a factor or takes the price away. */
export interface Terms {
  readonly tiers: readonly string[];
  readonly region: string | undefined;
}

/** The rates of a call that was served on these terms, with all fees of its seller; null where a factor is unknown. Pure. */
export function rateService(rates: Rates, sold: Sold, { tiers, region }: Terms, atMs: number): Rates | null {
  // A call has one tier: a name that says another one than the call contradicts it.
  if (tiers.length > 1) return null;
  const asked = [...tiers.map((tier) => ({ tier })), ...(region === undefined ? [] : [{ region }])];
  let scaled = withFees(rates, sold);
  for (const one of asked) {
    const factor = factorOf(sold, one, atMs);
    if (factor === undefined) return null;
    scaled = scaleRates(scaled, factor);
  }
  return scaled;
}

/** When a factor of the model begins or ends, epoch ms. */
export function factorChanges({ provider, model }: Sold): number[] {
  return FACTORS.filter((row) => row.provider === provider && row.models.test(model))
    .flatMap(({ from, to }) => [from, to])
    .flatMap((day) => (day === undefined ? [] : [Date.parse(day)]));
}

function factorOf(
  { provider, model }: Sold,
  asked: { tier?: string; region?: string },
  atMs: number,
): number | undefined {
  return FACTORS.find(
    (row) =>
      row.provider === provider &&
      row.tier === asked.tier &&
      row.region === asked.region &&
      row.models.test(model) &&
      (row.from === undefined || atMs >= Date.parse(row.from)) &&
      (row.to === undefined || atMs < Date.parse(row.to)),
  )?.factor;
}

function withFees(rates: Rates, { provider }: Sold): Rates {
  const fees = FEES.filter((fee) => fee.provider === provider);
  if (fees.length === 0) return rates;
  const added = fees.map(({ tool, usd }) => [tool, scaleDecimal(usd, KCOUNT_PLACES) ?? 0n] as const);
  return { ...rates, attoPerUse: new Map([...added, ...rates.attoPerUse]) };
}

const FACTOR_PLACES = 6;

/** Every rate of tokens times a factor. Fees stay. */
export function scaleRates(rates: Rates, factor: number): Rates {
  const times = scaleDecimal(factor, FACTOR_PLACES);
  if (times === null || factor === 1) return rates;
  const scale = (atto: bigint) => divideHalfEven(atto * times, 10n ** BigInt(FACTOR_PLACES));
  const scaleRate = (rate: Rate | undefined) =>
    rate && {
      base: scale(rate.base),
      tiers: rate.tiers.map((tier) => ({ ...tier, rate: scale(tier.rate) })),
    };
  return {
    ...rates,
    input: scaleRate(rates.input),
    cacheRead: scaleRate(rates.cacheRead),
    cacheWrite: scaleRate(rates.cacheWrite),
    cacheWrite1h: scaleRate(rates.cacheWrite1h),
    output: scaleRate(rates.output),
    outputImage: scaleRate(rates.outputImage),
    outputAudio: scaleRate(rates.outputAudio),
  };
}
