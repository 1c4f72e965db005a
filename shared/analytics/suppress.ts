/** What one user did within one atom (a week × a value). Money in nano-USD. */
export interface Contribution {
  user: string;
  signals: number;
  tokens_in: number;
  tokens_out: number;
  cost_nusd: number;
}

/** One value of a week's dimension with everyone who is in it. No user is hidden in it twice. */
export interface Atom {
  value: string;
  contributions: readonly Contribution[];
}

export interface Verdict {
  /** Values that are not told for this week. */
  hidden: ReadonlySet<string>;
  /** Whether the sum over all values is not told either. */
  totalHidden: boolean;
}

/** What dominance is judged by. Sessions and errors are too few a user for it: k alone guards them. */
const GUARDED = ['signals', 'tokens_in', 'tokens_out', 'cost_nusd'] as const;
/** Below this share of the largest user, what is left tells that user's value to within 10 %. */
const DOMINANCE = 0.1;

/**
 * Which values of one week may be told. A value is hidden when fewer than `k` users were active in it, or when what
 * is left without its two largest users is less than a tenth of the largest. As the hidden ones together are what
 * the week's total lacks, they must be at least two and stand the same test as one: otherwise the smallest shown
 * value goes too, and the next, until they do. When the total is hidden, so is at least one value: else the others
 * would sum to it. Pure; depends on nothing but this week.
 */
export function suppressWeek(atoms: readonly Atom[], k: number): Verdict {
  const totalHidden = !mayBeTold(atoms, k);
  const hidden = atoms.filter((atom) => !mayBeTold([atom], k));
  const shown = atoms.filter((atom) => !hidden.includes(atom)).sort(bySize);
  while (shown.length > 0 && needsMore(hidden, totalHidden, k)) {
    hidden.push(...shown.splice(0, 1));
  }
  return { hidden: new Set(hidden.map((atom) => atom.value)), totalHidden };
}

function needsMore(hidden: readonly Atom[], totalHidden: boolean, k: number): boolean {
  if (hidden.length === 0) return totalHidden;
  return hidden.length === 1 || !mayBeTold(hidden, k);
}

/** Whether the sum over these atoms tells nothing of any one user. */
export function mayBeTold(atoms: readonly Atom[], k: number): boolean {
  const users = mergeUsers(atoms);
  const active = users.filter((user) => user.signals > 0).length;
  return active >= k && GUARDED.every((measure) => !isDominated(users.map((user) => user[measure])));
}

function isDominated(values: readonly number[]): boolean {
  let [largest, second, sum] = [0, 0, 0];
  for (const value of values) {
    sum += value;
    if (value > largest) [largest, second] = [value, largest];
    else if (value > second) second = value;
  }
  return sum - largest - second < DOMINANCE * largest;
}

function mergeUsers(atoms: readonly Atom[]): Contribution[] {
  if (atoms.length === 1) return [...(atoms[0]?.contributions ?? [])];
  const merged = new Map<string, Contribution>();
  for (const contribution of atoms.flatMap((atom) => atom.contributions)) {
    const user = merged.get(contribution.user);
    if (!user) merged.set(contribution.user, { ...contribution });
    else for (const measure of GUARDED) user[measure] += contribution[measure];
  }
  return [...merged.values()];
}

function bySize(a: Atom, b: Atom): number {
  const active = (atom: Atom) => atom.contributions.filter((user) => user.signals > 0).length;
  const cost = (atom: Atom) => atom.contributions.reduce((sum, user) => sum + user.cost_nusd, 0);
  return active(a) - active(b) || cost(a) - cost(b) || (a.value < b.value ? -1 : 1);
}
