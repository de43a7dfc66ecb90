import { Suspense, useEffect, useState } from 'react';
import { nowMs } from '../api/clock.ts';
import { lazyPart } from './lazy-part.ts';
import type { First } from './Tooltips.tsx';

const Tooltips = lazyPart(async () => (await import('./Tooltips.tsx')).Tooltips);

/** The tooltips, whose code loads when the pointer or the focus is first on an element with one: they open 700 ms later. */
export function LazyTooltips() {
  const [first, setFirst] = useState<First>();
  useEffect(() => {
    if (first) return;
    const note = ({ target }: Event): void => {
      const tipped = target instanceof Element ? target.closest('[data-tip]') : null;
      if (tipped) setFirst({ element: tipped, atMs: nowMs() });
    };
    document.addEventListener('pointerover', note);
    document.addEventListener('focusin', note);
    return () => {
      document.removeEventListener('pointerover', note);
      document.removeEventListener('focusin', note);
    };
  }, [first]);
  return <Suspense>{first ? <Tooltips first={first} /> : null}</Suspense>;
}
