/** Characters that turn the direction of what follows: `exe.txt` would read `txt.exe`. */
const DIRECTION_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

/** A text of others as it is shown: a control of direction as its code. */
export function plainName(text: string): string {
  return text.replace(
    DIRECTION_CONTROLS,
    (control) => `\\u${control.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
