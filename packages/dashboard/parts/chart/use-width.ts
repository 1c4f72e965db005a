import { useLayoutEffect, useRef, useState } from 'react';

/** An element's width in whole pixels, known before anything is painted and kept up with. */
export function useWidth<Target extends HTMLElement>(): [React.RefObject<Target | null>, number] {
  const ref = useRef<Target>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const target = ref.current;
    if (!target) return;
    const measure = () => setWidth(target.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
