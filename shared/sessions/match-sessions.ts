/** The filters of a list of sessions; each value matches exactly. */
export interface SessionMatch {
  user_id?: string | undefined;
  project_id?: string | undefined;
  /** Primary model. */
  model?: string | undefined;
  adapter?: string | undefined;
}

/** With several filters, the index of the first bounds the range: users are rarer than models. */
const RAREST_FIRST = ['user_id', 'project_id', 'model', 'adapter'] as const;

/** A session whose signals were all voided is in no list, no total and no baseline. */
const COUNTED = { signal_count: { $gt: 0 } };

/**
 * One filter and the condition on the time, which one index holds whole, then the other filters: MongoDB joins the
 * stages, the embedded server would read every session for fields that the index does not hold (docs/stores.md).
 */
export function matchingSessions(
  orgId: string,
  match: SessionMatch,
  condition: Record<string, unknown>,
): { $match: Record<string, unknown> }[] {
  const [first, ...others] = RAREST_FIRST.filter((name) => match[name] !== undefined).map((name) => ({
    [name]: match[name],
  }));
  const indexed = { $match: { org_id: orgId, ...first, ...condition } };
  return [indexed, { $match: Object.assign({}, COUNTED, ...others) }];
}
