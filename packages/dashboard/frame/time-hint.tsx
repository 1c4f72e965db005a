import { useEffect, useState } from 'react';
import { inWords } from '../words/time.ts';

interface Hint {
  words: string;
  box: DOMRect;
}

const ID = 'time-hint';
const GAP_PX = 6;
const HEIGHT_PX = 30;

/**
 * Gives the time under the pointer, or in the link, button or time that has the focus, by the viewer's own clock and in UTC.
 * One for all times of a page: a timeline has thousands.
 */
export function TimeHint() {
  const [hint, setHint] = useState<Hint | null>(null);
  useEffect(() => {
    const onPointer = ({ target }: Event) =>
      setHint(hintOf(target instanceof Element ? target.closest('time') : null) ?? hintOf(focusedTime()));
    const onFocus = () => {
      document.querySelector(`[aria-describedby=${ID}]`)?.removeAttribute('aria-describedby');
      const time = focusedTime();
      if (time) document.activeElement?.setAttribute('aria-describedby', ID);
      setHint(hintOf(time));
    };
    const hide = () => setHint(null);
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && hide();
    const listeners = [
      ['mouseover', onPointer],
      ['focusin', onFocus],
      ['focusout', hide],
      ['scroll', hide],
      ['keydown', onKey],
    ] as const;
    for (const [type, listen] of listeners) document.addEventListener(type, listen as EventListener, true);
    return () => {
      for (const [type, listen] of listeners)
        document.removeEventListener(type, listen as EventListener, true);
    };
  }, []);
  if (hint === null) return null;
  return (
    <div id={ID} role="tooltip" className="time-hint" style={placeOf(hint.box)}>
      {hint.words}
    </div>
  );
}

/** The time that has the focus, or that is in a link or a button that has it. */
function focusedTime(): HTMLTimeElement | null {
  const focused = document.activeElement;
  if (focused instanceof HTMLTimeElement) return focused;
  return focused?.matches('a, button') ? focused.querySelector('time') : null;
}

function hintOf(time: HTMLTimeElement | null): Hint | null {
  if (!time) return null;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const precision = time.dataset.precision === 'millisecond' ? 'millisecond' : 'second';
  return { words: inWords(time.dateTime, here, precision), box: time.getBoundingClientRect() };
}

/** Below the time, or above it at the end of the window; it grows away from the nearer side. */
function placeOf({ top, bottom, left, right }: DOMRect): React.CSSProperties {
  const isLow = bottom + GAP_PX + HEIGHT_PX > window.innerHeight;
  return {
    top: isLow ? top - GAP_PX - HEIGHT_PX : bottom + GAP_PX,
    ...(left > window.innerWidth / 2
      ? { right: Math.max(window.innerWidth - right, GAP_PX) }
      : { left: Math.max(left, GAP_PX) }),
  };
}
