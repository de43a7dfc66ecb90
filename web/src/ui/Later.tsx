import { type ReactNode, startTransition, useEffect, useState } from 'react';

interface Props {
  /** has its place until then; left out: enough room to return to a place far down the page */
  instead?: ReactNode;
  children: ReactNode;
}

/**
 * Parts that are drawn after the first frame of their screen, so that what is read first does not wait for them. A link to a section
 * draws all at once, to be able to scroll there.
 */
export function Later({ instead = <div style={{ height: '400vh' }} />, children }: Props) {
  const [isDrawn, setDrawn] = useState(() => window.location.hash !== '');
  useEffect(() => {
    if (isDrawn) return;
    // A timer in a frame runs after that frame is drawn.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setDrawn(true)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [isDrawn]);
  return isDrawn ? children : instead;
}
