/** A file that was made, with the SHA-256 of its bytes in hex. */
export interface MadeFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** A small object and its version. */
export interface Stored {
  text: string;
  etag: string;
}

/** The state that a write expects: the object has this ETag, or there is none, or whatever it is. */
export type Expected = { etag: string } | 'absent' | 'any';

export interface Listing {
  /** True for a key that is kept, by what it has after the prefix. */
  isWanted?: (name: string) => boolean;
  /** A look whether it can be listed: one key of a bucket is enough. */
  isTry?: boolean;
}

/** A place for objects. All of it throws `ExportFailure`. */
export interface ObjectStore {
  /** False: the store cannot refuse a write whose condition does not hold. Null: only a try shows it. */
  readonly refusesWrites: false | null;
  /** A small object, or null. A bucket's that is longer than `mostBytes` (4 MiB if omitted) is an error. */
  read(key: string, mostBytes?: number): Promise<Stored | null>;
  putFile(key: string, file: MadeFile, contentType: string): Promise<void>;
  /** Returns the ETag of what was written, or null where the store holds something else than expected. */
  putText(key: string, text: string, expected: Expected): Promise<string | null>;
  /** Removes what workers that died left half-written in a folder, which ends with a slash, of files with these names. */
  removeUnfinished(folder: string, isOwn: (name: string) => boolean): Promise<void>;
  /** The keys that begin so; at most 10,000 of a bucket. */
  list(prefix: string, listing?: Listing): Promise<string[]>;
  remove(key: string): Promise<void>;
}
