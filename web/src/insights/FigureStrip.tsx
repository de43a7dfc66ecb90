import classes from './FigureStrip.module.css';
import type { Figure } from './figures.ts';

/** Figures side by side, each with its change since the period before. */
export const FigureStrip = ({ figures }: { figures: readonly Figure[] }) => (
  <dl className={classes.figures}>
    {figures.map(({ label, value, change, before }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>
          <strong>{value}</strong>
          {change ? (
            <span
              className={classes.change}
              data-good={change.isGood ?? undefined}
              data-tip={`${before} in the period before`}
            >
              {change.text}
            </span>
          ) : null}
        </dd>
      </div>
    ))}
  </dl>
);
