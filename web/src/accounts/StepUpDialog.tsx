import { Button } from '@mantine/core';
import { getStepUp, type StepUpMethod } from '@sixdigit/contract/second-factors/step-up.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../api/read.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { QueryError } from '../ui/Loaded.tsx';
import classes from './StepUpDialog.module.css';
import { ByAuthenticator, ByPasskey, ByPassword, BySentCode, type OnClose } from './StepUpProofs.tsx';

/** Above dialogs whose change waits for the proof. */
const ABOVE = 300;

export const StepUpDialog = ({ opened, onClose }: { opened: boolean; onClose: OnClose }) => (
  <Dialog
    opened={opened}
    onClose={() => onClose(false)}
    title="Confirm it is you"
    description="This change needs a proof that it is you. It holds for 15 minutes."
    size="sm"
    zIndex={ABOVE}
  >
    {opened ? <Proof onClose={onClose} /> : null}
  </Dialog>
);

const INSTEAD: Record<StepUpMethod, string> = {
  passkey: 'Use a passkey',
  authenticator: 'Use the authenticator app',
  sms: 'Use a code by SMS',
  email: 'Use a code by email',
  password: 'Use the password',
};

/** The account's strongest proof first, and every other one on request. */
function Proof({ onClose }: { onClose: OnClose }) {
  const [chosen, setChosen] = useState<StepUpMethod>();
  const query = useQuery(
    read(getStepUp, {}, { gcTime: 0, staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }),
  );
  if (query.isError) return <QueryError query={query} message="Failed to load the ways to confirm" />;
  if (!query.data)
    return (
      <p className={classes.text} role="status">
        Loading...
      </p>
    );
  const { methods } = query.data;
  const method = chosen ?? methods[0];
  const others = methods.filter((other) => other !== method);
  return (
    <>
      <ByMethod method={method} onClose={onClose} />
      {others.length > 0 ? (
        <div className={classes.ways}>
          {others.map((other) => (
            <Button key={other} variant="subtle" size="compact-sm" onClick={() => setChosen(other)}>
              {INSTEAD[other]}
            </Button>
          ))}
        </div>
      ) : null}
    </>
  );
}

function ByMethod({ method, onClose }: { method: StepUpMethod | undefined; onClose: OnClose }) {
  if (method === 'password') return <ByPassword onClose={onClose} />;
  if (method === 'passkey') return <ByPasskey onClose={onClose} />;
  if (method === 'authenticator') return <ByAuthenticator onClose={onClose} />;
  if (method) return <BySentCode key={method} method={method} onClose={onClose} />;
  return (
    <p className={classes.text} role="alert">
      No code can be sent to you now. Please try again later.
    </p>
  );
}
