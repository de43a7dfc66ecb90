import type { CSSProperties, ReactNode } from 'react';

/** Names with their values, one a line, as in the sheets of details. */
export const Facts = ({ nameWidth, children }: { nameWidth: string; children: ReactNode }) => (
  <dl className="mt-0 mb-5 grid" style={{ '--name-width': nameWidth } as CSSProperties}>
    {children}
  </dl>
);

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid min-h-10 grid-cols-[var(--name-width)_minmax(0,1fr)] items-center gap-3 border-b border-line py-[0.3rem]">
    <dt className="text-13 text-ink-soft">{name}</dt>
    {/** A copy button stays next to its value. */}
    <dd className="m-0 flex min-w-0 flex-wrap items-center gap-[0.35rem] wrap-anywhere [&>:has(+button)]:max-w-[calc(100%-3.25rem)] [&>div]:flex-[1_0_100%]">
      {children}
    </dd>
  </div>
);
