import type { ReactNode } from 'react';
import { BrandLink } from './BrandMark.tsx';

interface Props {
  /** links at the end */
  children?: ReactNode;
  /** as wide as a text instead of the window */
  isNarrow?: boolean;
}

/** The header of pages without the menu. */
export const PublicHeader = ({ children, isNarrow }: Props) => (
  <header className="border-b border-line">
    <div
      className={`flex min-h-17 items-center justify-between gap-4 ${isNarrow ? 'mx-auto w-full max-w-184 px-5' : 'px-[clamp(1rem,4vw,2.5rem)]'}`}
    >
      <BrandLink />
      {children}
    </div>
  </header>
);
