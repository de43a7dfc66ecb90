import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';

/** Holds the place of content that may be far down the screen. It stands still, because nothing loads until it is near. */
export const Bar = ({ className = 'h-3 w-2/5' }) => (
  <div className={`rounded-10 bg-line ${className}`} aria-hidden />
);

/** What `Near` shows while its part loads, such as panels with a `Bar`. */
export const Waiting = ({ isSeen, children }: { isSeen: boolean; children: ReactNode }) => (
  <>
    <VisuallyHidden role="status" aria-busy={isSeen}>
      Loading...
    </VisuallyHidden>
    {children}
  </>
);
