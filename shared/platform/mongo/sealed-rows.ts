import type { DeclaredCollection, Row } from './collection.ts';

/** A collection with fields that hold a sealed secret, or null: for each the owner that it decrypts for, by the row's id. */
export interface SealedRows {
  collection: DeclaredCollection<Sealed>;
  owners: Readonly<Record<string, (id: string) => string>>;
}

export interface Sealed {
  _id: string;
  [field: string]: string | null;
}

export function sealedRows<T extends Row>(
  collection: DeclaredCollection<T>,
  owners: SealedRows['owners'],
): SealedRows {
  return { collection: collection as unknown as DeclaredCollection<Sealed>, owners };
}
