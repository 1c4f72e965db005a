/**
 * The text of an environment file with these variables in it. A line that sets one to nothing (`NAME=`) is filled in, a
 * missing one is added at the end, and one that has a value keeps it. Returns the names that were filled in or added.
 */
export function fillEnvFile(
  text: string,
  values: Readonly<Record<string, string>>,
): { text: string; added: string[] } {
  const lines = text === '' ? [] : text.trimEnd().split('\n');
  const added: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const at = lines.findIndex((line) => line.startsWith(`${name}=`));
    if (at !== -1 && lines[at]?.trimEnd() !== `${name}=`) continue;
    // Single quotes keep JSON as it is, for Docker, Node and the usual runners of a Procfile alike.
    const line = `${name}=${value.includes('"') ? `'${value}'` : value}`;
    if (at === -1) lines.push(line);
    else lines[at] = line;
    added.push(name);
  }
  return { text: `${lines.join('\n')}\n`, added };
}
