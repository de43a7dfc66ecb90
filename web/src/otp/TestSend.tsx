import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Verification } from '#contract/otp.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { ButtonLink } from '../ui/links.tsx';
import classes from './TestSend.module.css';
import { TestSendForm } from './TestSendForm.tsx';
import { type SentTest, TestVerify } from './TestVerify.tsx';
import { VERIFICATIONS } from './verifications.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** the verification whose key, channel and recipient the form begins with */
  again: Verification | undefined;
  /** called after the closing transition */
  onClosed: () => void;
}

/** Sends a code from the dashboard, shows what becomes of it, and verifies it. */
export function TestSend({ opened, onClose, again, onClosed }: Props) {
  const [sent, setSent] = useState<SentTest>();
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onClosed={() => {
        setSent(undefined);
        onClosed();
      }}
      title="Send a Test Code"
      description="As a program with one of your API keys would, by the same rules."
      size="lg"
    >
      <Body sent={sent} onSent={setSent} again={again} />
    </Dialog>
  );
}

function Body({
  sent,
  onSent,
  again,
}: {
  sent: SentTest | undefined;
  onSent: (sent: SentTest | undefined) => void;
  again: Verification | undefined;
}) {
  const queryClient = useQueryClient();
  const { data: keys } = useQuery(apiKeyChoices);
  if (!keys) return null;
  const usable = keys.results.filter(({ scopes }) => scopes.includes('otp:send'));
  if (usable.length === 0)
    return (
      <div className={classes.none}>
        <p>A code is sent with an API key. A test key sends nothing and costs nothing.</p>
        <ButtonLink to="/api-keys" search={{ dialog: 'create' }}>
          Create API Key
        </ButtonLink>
      </div>
    );
  if (sent) return <TestVerify sent={sent} onAgain={() => onSent(undefined)} />;
  return (
    <TestSendForm
      keys={usable}
      again={again}
      onSent={(next) => {
        void queryClient.invalidateQueries({ queryKey: VERIFICATIONS });
        onSent(next);
      }}
    />
  );
}
