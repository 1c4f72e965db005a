import type { MatchLogic, ModelInfo } from '@pydantic/genai-prices';

/** The ends that may follow a listed name without making another model: a date, a version, a stage, a variant of a cloud. */
const FOLLOWS =
  /^(?:-20\d\d-?[01]\d-?[0-3]\d|-[01]\d-[0-3]\d|-[01]\d-20\d\d|-\d{3,4}|-v\d+|:\d+k?|-(?:latest|stable|beta|preview|exp|experimental|customtools))*$/;
/** A date or a version whose beginning is the end of a listed name: `claude-sonnet-4-2025` + `0514`. */
const DIGITS_BEGUN = /-(?:20\d*|0\d*)?$/;
/** The beginnings that a listed name may have: a path, a cloud's region, a vendor. */
const PRECEDES = /(?:^|[/.:@])$/;
/** Names of the list that stand for all that begin with them, or for all that have them in it. */
const FAMILIES: readonly RegExp[] = [/^ft:/, /\.ft-$/, /^gemma-3/, /^moderation$/];

/**
 * Returns whether one of these ids (lower case, spellings of one name) is a name of the listed model. The list also finds names that
 * only begin like a listed one, or only have it in them: those are other models. Pure.
 */
export function isNamed(model: ModelInfo, ids: readonly string[]): boolean {
  return ids.some((id) => id === model.id.toLowerCase() || isNameIn(model.match, id));
}

function isNameIn(logic: MatchLogic, id: string): boolean {
  if ('or' in logic) return logic.or.some((one) => isNameIn(one, id));
  // The others of an `and` exclude names, which the list itself has done.
  if ('and' in logic) return logic.and.some((one) => isNameIn(one, id));
  if ('equals' in logic) return id === logic.equals.toLowerCase();
  if ('regex' in logic) return isPart(id, new RegExp(logic.regex).exec(id)?.[0] ?? '');
  const [text = ''] = Object.values(logic);
  return isPart(id, String(text).toLowerCase());
}

/** True when an id is this text, but for what may be before and behind it. */
function isPart(id: string, text: string): boolean {
  const at = text === '' ? -1 : id.indexOf(text);
  if (at < 0) return false;
  if (FAMILIES.some((family) => family.test(text))) return true;
  const begun = DIGITS_BEGUN.exec(text)?.[0] ?? '';
  const behind = id.slice(at + text.length);
  const follows = FOLLOWS.test(behind) || (begun !== '' && FOLLOWS.test(begun + behind));
  return follows && PRECEDES.test(id.slice(0, at));
}
