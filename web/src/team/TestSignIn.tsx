import { Button } from '@mantine/core';
import { type SsoBody, startSsoTest } from '@sixdigit/contract/accounts/sso.ts';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { ApiError, call, sentence } from '../api/call.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';

type Tested = Pick<SsoBody, 'issuer' | 'client_id' | 'client_secret' | 'domain' | 'default_role'>;

interface Props {
  opened: boolean;
  settings: Tested;
  onClose: () => void;
}

/** Begins a test sign-in with what the form contains, saved or not. The result is on the page to which the provider returns. */
export const TestSignIn = ({ opened, settings, onClose }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title="Test Sign-in"
    description="Sign in at your provider in a new tab. The tab then shows what your provider sent, and which role you would have. Nobody is signed in, and nothing is saved."
    size="sm"
  >
    {opened ? <Begin settings={settings} onClose={onClose} /> : null}
  </Dialog>
);

function Begin({ settings, onClose }: Omit<Props, 'opened'>) {
  const { issuer, client_id, client_secret, domain, default_role } = settings;
  const test = useMutation({
    mutationFn: () =>
      call(startSsoTest, { body: { issuer, client_id, client_secret, domain, default_role } }),
  });
  const begin = useEffectEvent(() => test.mutate());
  useEffect(() => begin(), []);
  const { data, error } = test;
  return (
    <>
      <ErrorAlert problem={error ? problemIn(error) : undefined} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {data ? (
          <Button
            autoFocus
            data-autofocus
            onClick={() => {
              window.open(data.url, '_blank', 'noreferrer');
              onClose();
            }}
          >
            Open Sign-in Page
          </Button>
        ) : (
          <Button loading={test.isPending} onClick={() => test.mutate()}>
            Try Again
          </Button>
        )}
      </DialogActions>
    </>
  );
}

/** The sentences of the fields name them. */
function problemIn(error: unknown): string {
  const [problem] = error instanceof ApiError ? Object.values(error.fields).flat() : [];
  return problem ?? sentence(error, 'The test could not begin.');
}
