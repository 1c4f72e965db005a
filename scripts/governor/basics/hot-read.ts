/** A frequent read, with values that no row has: a plan depends on the fields alone. */
export interface HotRead {
  collectionName: string;
  filter: Readonly<Record<string, unknown>>;
  sort: Readonly<Record<string, 1 | -1>>;
}

/** Values that no row has. */
export const since = { $gte: new Date(0) };
export const ofNobody = { org_id: 'none' };
