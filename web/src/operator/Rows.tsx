import { type ComponentProps, Fragment, type ReactNode } from 'react';
import classes from './Operator.module.css';

/** A list inside a panel. */
export const Rows = (props: ComponentProps<'ul'>) => <ul {...props} className="m-0 grid list-none p-0" />;

export const Row = (props: ComponentProps<'li'>) => (
  <li
    {...props}
    className="flex flex-wrap items-center justify-between gap-x-4 gap-y-[0.35rem] border-t border-line py-[0.6rem] first:border-t-0 first:pt-0 last:pb-0"
  />
);

/** A row's text, with details in `<small>`. Leaves room for a button at the end, also on a phone. */
export const RowText = ({ children }: ComponentProps<'span'>) => (
  <span className={`${classes.text} grid min-w-0 gap-[0.1rem] wrap-anywhere`}>{children}</span>
);

/** Details in one line, on phones one per line. */
export const Details = ({ texts }: { texts: readonly string[] }) =>
  texts.map((text, n) => (
    <Fragment key={text}>
      <span className="whitespace-nowrap max-sm:block max-sm:first-letter:uppercase">
        {text}
        {n < texts.length - 1 ? <span className="max-sm:hidden"> ·</span> : null}
      </span>{' '}
    </Fragment>
  ));

/** A table cell's text, with details in `<small>`. */
export const CellText = ({ children }: ComponentProps<'span'>) => (
  <span className={`${classes.cell} grid gap-[0.1rem] wrap-anywhere`}>{children}</span>
);

/** A further line of a title in a list on a phone. */
export const Line = ({ children }: { children: ReactNode }) => (
  <span className="block text-13 font-400 text-ink-soft">{children}</span>
);

export const Note = (props: ComponentProps<'p'>) => <p {...props} className="m-0 text-13 text-ink-soft" />;
