import type { RecipientErasure } from '@sixdigit/contract/operator/erasures.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { Badge } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { number } from '../Facts.tsx';
import classes from '../Operator.module.css';

type Page = { results: RecipientErasure[]; count: number };

/** The latest erasures of recipients, with the progress of those that run. */
export const Erasures = ({ query }: { query: UseQueryResult<Page> }) => (
  <Loaded query={query} failure="Failed to load the erasures">
    {({ results }) =>
      results.length === 0 ? null : (
        <div className={classes.history}>
          <h3 id="erasures">Latest erasures</h3>
          <ul className={classes.rows} aria-labelledby="erasures" aria-live="polite">
            {results.map((erasure) => (
              <li key={erasure.id}>
                <span className={classes.what}>
                  {erasure.recipient}
                  <small>
                    {erasure.requested_by ?? 'Deleted operator'}, {shortDateTime(erasure.created_at)}
                  </small>
                </span>
                <State {...erasure} />
              </li>
            ))}
          </ul>
        </div>
      )
    }
  </Loaded>
);

const State = ({ ended_at, steps, steps_done, erased }: RecipientErasure) =>
  ended_at === null ? (
    <Badge tone="blue">{`Erasing, ${Math.floor((100 * steps_done) / steps)} %`}</Badge>
  ) : (
    <Badge tone="green">{`Erased, ${number(rowsOf(erased))} rows`}</Badge>
  );

const rowsOf = (erased: Record<string, number>): number =>
  Object.values(erased).reduce((sum, count) => sum + count, 0);
