import { Button } from '@mantine/core';
import { DEFAULT_PRICES } from '@sixdigit/contract/prices.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';
import { differences, priceChanges } from './prices.ts';

export const HISTORY = {
  title: 'History',
  description: 'Price changes and who made them. The reasons are in the audit log.',
};

/** Price changes with author and time. Each entry shows its differences from the one below. */
export function PriceHistory() {
  const [page, setPage] = useState(1);
  const query = useQuery(priceChanges(page));
  return (
    <Panel {...HISTORY}>
      <Loaded query={query} failure="Failed to load the history">
        {({ results, count }) => (
          <>
            {results.length === 0 ? <Note>No price has been changed.</Note> : null}
            <Rows>
              {results.map(({ version, created_at, changed_by, prices }, n) => {
                const before = results[n + 1]?.prices ?? (page * 5 >= count ? DEFAULT_PRICES : undefined);
                return (
                  <Row key={version}>
                    <RowText>
                      {before ? (
                        <Differences changes={differences(before, prices)} nothing="No difference" />
                      ) : (
                        <span className="text-13 text-ink-soft">Compared on the next page</span>
                      )}
                      <small>
                        {shortDateTime(created_at)} by {changed_by ?? 'a deleted account'}
                      </small>
                    </RowText>
                  </Row>
                );
              })}
            </Rows>
            {count > 5 ? (
              <span className="flex flex-wrap items-center gap-2">
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

const SHOWN = 8;

/** Lists the differences that a change makes. */
export const Differences = ({ changes, nothing }: { changes: readonly string[]; nothing: string }) =>
  changes.length === 0 ? (
    <Note>{nothing}</Note>
  ) : (
    <ul className="m-0 grid gap-[0.15rem] ps-[1.1rem] wrap-anywhere">
      {changes.slice(0, SHOWN).map((change) => (
        <li key={change}>{change}</li>
      ))}
      {changes.length > SHOWN ? <li>and {changes.length - SHOWN} more</li> : null}
    </ul>
  );
