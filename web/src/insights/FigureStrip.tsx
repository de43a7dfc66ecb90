import { Skeleton } from '@mantine/core';
import { type Figure, MEASURES, toneOf } from './figures.ts';

/** Figures side by side, each with its change since the period before. Without figures: their names while they load. */
export const FigureStrip = ({ figures = [] }: { figures?: readonly Figure[] }) => (
  <dl className="m-0 grid grid-cols-5 gap-px overflow-hidden rounded-12 border border-line bg-line max-md:grid-cols-2">
    {MEASURES.map(({ label }, n) => (
      <div
        key={label}
        className="flex flex-col justify-between bg-surface px-5 py-4 max-lg:px-3.5 max-lg:py-3 max-md:last:col-span-full"
      >
        <dt className="text-13 text-ink-soft">{label}</dt>
        {figures[n] ? <Value figure={figures[n]} /> : <Waiting />}
      </div>
    ))}
  </dl>
);

const Value = ({ figure: { value, change, before } }: { figure: Figure }) => (
  <dd className="mx-0 mt-[0.15rem] mb-0 flex flex-wrap items-baseline gap-x-2 max-lg:flex-col max-md:flex-row">
    <strong className="text-24 font-650 tracking-[-0.02em] max-lg:text-20">{value}</strong>
    {change ? (
      <span className={`text-13 ${toneOf(change)}`} data-tip={`${before} in the period before`}>
        {change.text}
      </span>
    ) : null}
  </dd>
);

/** As high as a figure. */
const Waiting = () => (
  <dd className="mx-0 mt-[0.15rem] mb-0 flex min-h-9 items-center max-lg:flex-col max-md:flex-row">
    <Skeleton height="1.25rem" width="4.5rem" />
  </dd>
);
