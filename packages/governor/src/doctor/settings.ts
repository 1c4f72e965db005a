import { existsSync, readFileSync } from 'node:fs';
import { type Json, objectOf, parseObject } from '../history.ts';

/** A settings file of an agent. */
export interface Settings {
  readonly file: string;
  readonly content: Json;
}

/** Reads the settings files that exist, in order. Throws for one that is no JSON object: its agent ignores it too. */
export function readSettings(files: readonly string[]): Settings[] {
  return files
    .filter((file) => existsSync(file))
    .map((file) => {
      const content = parseObject(readFileSync(file, 'utf8'));
      if (!content) throw new Error(`${file} is not a JSON object`);
      return { file, content };
    });
}

/** The objects of a list; none for anything else. */
export function objectsOf(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.map(objectOf).filter((item) => item !== undefined);
}
