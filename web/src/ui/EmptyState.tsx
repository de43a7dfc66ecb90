import type { ReactNode } from 'react';

interface Props {
  icon: ReactNode;
  /** without it, there is no icon either: a title stands above */
  title?: string | undefined;
  /** explanation and next step */
  children: ReactNode;
  action?: ReactNode;
  /** a `<CodeBlock>` that works as pasted */
  snippet?: ReactNode;
  /** part of a list's frame instead of one of its own */
  isInside?: boolean;
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

export const EmptyState = ({ icon, title, children, action, snippet, isInside }: Props) => (
  <section
    className={`flex flex-col items-center bg-surface px-5 text-center ${isInside ? 'pt-2 pb-10' : 'rounded-12 border border-dashed border-border py-14'}`}
  >
    {title ? (
      <>
        <IconTile>{icon}</IconTile>
        <h2 className="mt-0 mb-[0.3rem] text-17 font-650">{title}</h2>
      </>
    ) : null}
    <p className="m-0 max-w-120 text-balance text-ink-soft">{children}</p>
    {action ? <div className="mt-5 flex flex-wrap justify-center gap-[0.6rem]">{action}</div> : null}
    {snippet ? <div className="mt-6 w-full max-w-168 text-start">{snippet}</div> : null}
  </section>
);
