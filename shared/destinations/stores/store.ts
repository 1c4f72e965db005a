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

/** A place for objects. All of it throws `ExportFailure`. */
export interface ObjectStore {
  /** False: the store cannot refuse a write whose condition does not hold. Null: only a try shows it. */
  readonly refusesWrites: false | null;
  /** A small object, or null. */
  read(key: string): Promise<Stored | null>;
  putFile(key: string, file: MadeFile, contentType: string): Promise<void>;
  /** Returns the ETag of what was written, or null where the store holds something else than expected. */
  putText(key: string, text: string, expected: Expected): Promise<string | null>;
  /** Removes what workers that died left half-written in a folder, which ends with a slash, of files with these names. */
  removeUnfinished(folder: string, isOwn: (name: string) => boolean): Promise<void>;
  /** The keys that begin so. */
  list(prefix: string): Promise<string[]>;
  remove(key: string): Promise<void>;
}
