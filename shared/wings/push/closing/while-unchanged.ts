/** Looks at a day that changes while it is read. */
const LOOKS = 3;

/** Makes something of a day's usage until it is the same before and after, and returns both; null when it has changed each time. */
export async function whileUnchanged<Usage extends { hash: string } | null, Made>(
  first: Usage,
  make: (usage: Usage) => Promise<Made>,
  readAgain: () => Promise<Usage>,
): Promise<{ usage: Usage; made: Made } | null> {
  let usage = first;
  for (let look = 1; look <= LOOKS; look += 1) {
    const made = await make(usage);
    const after = await readAgain();
    if (usage?.hash === after?.hash) return { usage, made };
    usage = after;
  }
  return null;
}
