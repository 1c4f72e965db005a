/**
 * The text of an environment file with these variables in it. A line that sets one to nothing (`NAME=`) is filled in, a
 * missing one is added at the end, and one that has a value keeps it, however its line is written (`export NAME = …`): the last
 * line of a name counts, so another one at the end would replace it. Returns the names that were filled in or added.
 */
export function fillEnvFile(
  text: string,
  values: Readonly<Record<string, string>>,
): { text: string; added: string[] } {
  const lines = text === '' ? [] : text.trimEnd().split('\n');
  const added: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const setting = new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`);
    const at = lines.findLastIndex((line) => setting.test(line));
    const [begin = `${name}=`] = setting.exec(lines[at] ?? '') ?? [];
    if (at !== -1 && lines[at]?.trimEnd() !== begin) continue;
    // Single quotes keep JSON as it is, for Docker, Node and the usual runners of a Procfile alike.
    const line = `${begin}${value.includes('"') ? `'${value}'` : value}`;
    if (at === -1) lines.push(line);
    else lines[at] = line;
    added.push(name);
  }
  return { text: `${lines.join('\n')}\n`, added };
}
