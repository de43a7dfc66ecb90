import type { ReactNode } from 'react';

interface Props {
  icon: ReactNode;
  title: string;
  /** explanation and next step */
  children: ReactNode;
  action?: ReactNode;
  /** a `<CodeBlock>` that works as pasted */
  snippet?: ReactNode;
}

/** The icon of a screen without content. */
export const IconTile = ({ children }: { children: ReactNode }) => (
  <div
    className="mb-[0.9rem] grid size-12 place-items-center rounded-[0.9rem] bg-accent-soft text-accent"
    aria-hidden
  >
    {children}
  </div>
);

export const EmptyState = ({ icon, title, children, action, snippet }: Props) => (
  <section className="flex flex-col items-center rounded-12 border border-dashed border-border bg-surface px-5 py-14 text-center">
    <IconTile>{icon}</IconTile>
    <h2 className="mt-0 mb-[0.3rem] text-17 font-650">{title}</h2>
    <p className="m-0 max-w-120 text-balance text-ink-soft">{children}</p>
    {action ? <div className="mt-5 flex flex-wrap justify-center gap-[0.6rem]">{action}</div> : null}
    {snippet ? <div className="mt-6 w-full max-w-168 text-start">{snippet}</div> : null}
  </section>
);
