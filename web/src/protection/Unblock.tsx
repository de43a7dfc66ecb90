import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { unblockDestination } from '#contract/protection.ts';
import { call } from '../api/call.ts';
import { otherPages } from '../pages.ts';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { PageLink } from '../ui/links.tsx';
import classes from './Unblock.module.css';

const route = getRouteApi('/protection/unblock');

/** Allows one blocked prefix or country. It waits for a click, because mail scanners open links. */
export function Unblock() {
  const { token } = route.useSearch();
  const unblock = useMutation({ mutationFn: () => call(unblockDestination, { body: { token } }) });
  if (unblock.data)
    return (
      <>
        <h1>Destination allowed</h1>
        <p className={classes.lead}>
          Codes to <strong>{unblock.data.value}</strong> are sent again.
        </p>
        <ToDashboard />
      </>
    );
  return (
    <>
      <h1>{otherPages.unblock.title}</h1>
      <p className={classes.lead}>
        Sends to this destination look like fraud and are blocked. If your own users asked for these codes,
        allow the destination.
      </p>
      <ErrorAlert problem={unblock.error?.message} />
      <Button fullWidth loading={unblock.isPending} onClick={() => unblock.mutate()}>
        Allow
      </Button>
      <ToDashboard />
    </>
  );
}

const ToDashboard = () => (
  <p className={classes.other}>
    <PageLink to="/">Open the dashboard</PageLink>
  </p>
);
