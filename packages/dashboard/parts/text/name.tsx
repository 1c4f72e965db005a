import { Fragment, useContext } from 'react';
import { InLink } from './in-link.ts';
import { plainName } from './plain-name.ts';

/** A long name is broken after a slash rather than in a word. */
const SLASH = /(?<=\/)/;
/** Longer names may be clipped. */
const SURELY_WHOLE = 18;

/** A name that others gave: two lines at most, and all of it on focus and hover. */
export function Name({ of }: { of: string }) {
  const isInLink = useContext(InLink);
  const shown = plainName(of);
  const isLong = shown.length > SURELY_WHOLE;
  return (
    <bdi
      {...(isLong ? { className: 'name-long', title: shown } : {})}
      {...(isLong && !isInLink ? { tabIndex: 0 } : {})}
    >
      {shown.split(SLASH).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name keep their places.
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  );
}
