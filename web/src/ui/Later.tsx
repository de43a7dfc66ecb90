import { type ReactNode, startTransition, useEffect, useState } from 'react';

interface Props {
  /** shown until then; default: enough room to restore a scroll position far down the page */
  instead?: ReactNode;
  children: ReactNode;
}

/**
 * Renders its children after the screen's first frame, so that they do not delay the content above them. A link to a section
 * renders them immediately, to scroll there.
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
