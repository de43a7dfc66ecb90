import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  backTestRule,
  type CountedRule,
  type BackTest as Tested,
  type Threshold,
} from '@sixdigit/contract/protection/protection.ts';
import { IconUserCheck, IconUserExclamation } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { read } from '../api/read.ts';
import { Badge } from '../ui/Badge.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { countryName } from '../ui/display-names.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { percentOf } from '../ui/numbers.ts';
import { RecipientText } from '../ui/RecipientText.tsx';
import { limitsOf, savedText, scopeText, whyNothing } from './back-test-texts.ts';
import classes from './Protection.module.css';

const DEBOUNCE_MS = 500;
const FRESH_MS = 60_000;

interface Props {
  rule: CountedRule;
  /** valid ones */
  thresholds: Partial<Record<Threshold, number>>;
  /** the thresholds are the saved ones, so there is nothing to compare */
  areSaved: boolean;
}

/** Shows what changed thresholds would have blocked, and only a result for the thresholds on the screen. */
export function BackTest({ rule, thresholds, areSaved }: Props) {
  const wanted = JSON.stringify(thresholds);
  const [settled] = useDebouncedValue(wanted, DEBOUNCE_MS);
  const isSettled = settled === wanted;
  const query = useQuery(
    read(
      backTestRule,
      { body: { rule, thresholds: JSON.parse(settled) as Props['thresholds'] } },
      { enabled: isSettled, staleTime: FRESH_MS, refetchOnWindowFocus: false },
    ),
  );
  const { data, error, isFetching } = query;
  const isFailed = isSettled && data === undefined && error !== null && !isFetching;
  return (
    <div className="mt-3" role="status" aria-busy={!isFailed && !(isSettled && data)}>
      {isSettled && data ? <Result tested={data} areSaved={areSaved} /> : null}
      {isFailed ? <QueryError query={query} message="Failed to test the thresholds" /> : null}
      {isFailed || (isSettled && data) ? null : <Waiting />}
    </div>
  );
}

/** In place of a test while a threshold is out of its bounds. */
export const NothingToTest = () => (
  <div className="mt-3">
    <Box>
      <p className="m-0 text-13 text-ink-soft">
        Correct the marked field, and the thresholds are tested on past sends here.
      </p>
    </Box>
  </div>
);

const Box = ({ children }: { children: ReactNode }) => (
  <div className="rounded-10 border border-line bg-sunken px-4 py-3">{children}</div>
);

/** As high as a result without notes, so that the rules below move once. */
const Waiting = () => (
  <Box>
    <p className="m-0 text-13 text-ink-soft">Testing on past sends...</p>
    <div className={`${classes.tested} mt-2 grid gap-x-6 gap-y-3`} aria-hidden>
      {['blocked', 'users'].map((one) => (
        <div key={one}>
          <Skeleton height={12} width="8rem" my={6} radius="xl" />
          <Skeleton height={20} width="4rem" my={6} radius="xl" />
          <Skeleton height={12} width="11rem" my={6} radius="xl" />
        </div>
      ))}
    </div>
  </Box>
);

function Result({ tested, areSaved }: { tested: Tested; areSaved: boolean }) {
  const { sends, blocked, verified, saved, examples } = tested;
  const notes = limitsOf(tested);
  const nothing = whyNothing(tested);
  if (nothing)
    return (
      <Box>
        <p className="m-0 text-14">{nothing}</p>
      </Box>
    );
  return (
    <Box>
      <p className="m-0 text-13 text-ink-soft">{scopeText(tested)}</p>
      <dl className={`${classes.tested} mt-2 mb-0 grid gap-x-6 gap-y-3`}>
        <Figure
          name="Would have been blocked"
          value={blocked}
          share={`(${percentOf(blocked, sends)} of all sends)`}
          before={areSaved ? undefined : savedText(saved.blocked)}
        />
        <Figure
          name="Probably real users"
          value={verified}
          share={blocked === 0 ? '' : `(${percentOf(verified, blocked)} of these)`}
          before={areSaved ? undefined : savedText(saved.verified)}
          tone={blocked === 0 ? undefined : verified > 0 ? 'text-red' : 'text-green'}
        />
      </dl>
      {blocked > 0 ? (
        <p className="mt-2.5 mb-0 flex items-start gap-2 text-14">
          {verified > 0 ? (
            <IconUserExclamation size={18} stroke={1.75} className="mt-px flex-none text-red" aria-hidden />
          ) : (
            <IconUserCheck size={18} stroke={1.75} className="mt-px flex-none text-green" aria-hidden />
          )}
          {verificationsText(verified)}
        </p>
      ) : null}
      {examples.length > 0 ? <Examples examples={examples} /> : null}
      <ul className="mt-2 mb-0 list-none p-0 text-13 text-ink-soft">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Box>
  );
}

function verificationsText(verified: number): string {
  if (verified === 0) return 'None of these codes was verified later.';
  return verified === 1
    ? 'One code was verified later. With these thresholds, this user would not have received it.'
    : 'These codes were verified later. With these thresholds, these users would not have received them.';
}

interface FigureProps {
  name: string;
  value: number;
  share: string;
  before: string | undefined;
  tone?: string | undefined;
}

const Figure = ({ name, value, share, before, tone = '' }: FigureProps) => (
  <div>
    <dt className="text-13 text-ink-soft">{name}</dt>
    <dd className="m-0 tabular-nums">
      <strong className={`text-20 font-650 ${tone}`}>{value.toLocaleString('en-US')}</strong>{' '}
      <span className="text-14">{share}</span>
      {before ? <span className="block text-13 text-ink-soft">{before}</span> : null}
    </dd>
  </div>
);

const Examples = ({ examples }: Pick<Tested, 'examples'>) => (
  <details className={`${classes.more} mt-1.5`}>
    <summary className="cursor-pointer text-14 text-ink-soft">
      {examples.length === 1 ? 'One of them' : `${examples.length} of them`}
    </summary>
    <ul className="m-0 list-none p-0" aria-label="Examples">
      {examples.map(({ id, recipient, country, created_at, verified }) => (
        <li key={id} className="border-t border-line">
          <Link
            to="/"
            search={{ otp: id } as never}
            className="group flex flex-wrap items-center justify-between gap-x-3 gap-y-0.5 py-2.5 text-14 text-ink no-underline tabular-nums"
          >
            <span className="font-500 group-hover:underline">
              <VisuallyHidden>Verification of </VisuallyHidden>
              <RecipientText recipient={recipient} />
            </span>
            <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-13 text-ink-soft">
              {countryName(country)} · {shortDateTime(created_at)}
              {verified ? <Badge tone="red">Verified later</Badge> : <Badge tone="gray">Not verified</Badge>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  </details>
);
