import type { ReactNode } from 'react';

/** The explanation of a step. */
export const Hint = ({ children }: { children: ReactNode }) => (
  <p className="mt-[0.1rem] mb-[0.7rem] text-ink-soft">{children}</p>
);
