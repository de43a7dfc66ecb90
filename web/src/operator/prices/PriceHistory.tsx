import { Button } from '@mantine/core';
import { DEFAULT_PRICES } from '@sixdigit/contract/prices.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import classes from '../Operator.module.css';
import { Differences } from './Differences.tsx';
import { differences, priceChanges } from './prices.ts';

/** The changes of prices, with author and time. Each entry is compared with the one below it. */
export function PriceHistory() {
  const [page, setPage] = useState(1);
  const query = useQuery(priceChanges(page));
  return (
    <Panel
      title="History"
      description="Every change with the operator who made it. The audit has the reasons."
    >
      <Loaded query={query} failure="Failed to load the history">
        {({ results, count }) => (
          <>
            {results.length === 0 ? (
              <p className={classes.soft}>The defaults have not been changed.</p>
            ) : null}
            <ul className={classes.rows}>
              {results.map(({ version, created_at, changed_by, prices }, n) => {
                const before = results[n + 1]?.prices ?? (page * 5 >= count ? DEFAULT_PRICES : undefined);
                return (
                  <li key={version}>
                    <span className={classes.what}>
                      {before ? (
                        <Differences changes={differences(before, prices)} nothing="No difference" />
                      ) : (
                        <span className={classes.soft}>Compared on the next page</span>
                      )}
                      <small>
                        {shortDateTime(created_at)} by {changed_by ?? 'a deleted account'}
                      </small>
                    </span>
                  </li>
                );
              })}
            </ul>
            {count > 5 ? (
              <span className={classes.buttons}>
                <Button
                  variant="default"
                  size="compact-sm"
                  disabled={page === 1}
                  onClick={() => setPage(page - 1)}
                >
                  Newer
                </Button>
                <Button
                  variant="default"
                  size="compact-sm"
                  disabled={page * 5 >= count}
                  onClick={() => setPage(page + 1)}
                >
                  Older
                </Button>
              </span>
            ) : null}
          </>
        )}
      </Loaded>
    </Panel>
  );
}
