import type { ReactNode } from 'react';

interface Props {
  /** to link to it */
  id?: string;
  title?: string;
  /** beside the title */
  badge?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A titled card on a screen. */
export const Panel = ({ id, title, badge, description, actions, children }: Props) => (
  <section
    id={id}
    className="scroll-mt-(--anchor) rounded-12 border border-line bg-surface px-6 pt-5 pb-6 max-sm:px-4.5 max-sm:pt-4 max-sm:pb-5"
    aria-label={title}
  >
    {title ? (
      <div className="mb-4 flex flex-wrap items-start justify-between gap-4 only:mb-0">
        <div className="min-w-0 flex-[1_1_11rem]">
          <div className="flex flex-wrap items-center gap-x-2.5">
            <h2 className="m-0 text-17 font-650">{title}</h2>
            {badge}
          </div>
          {description ? <p className="mt-[0.15rem] mb-0 text-14 text-ink-soft">{description}</p> : null}
        </div>
        {actions}
      </div>
    ) : null}
    {children}
  </section>
);
