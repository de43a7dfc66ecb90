import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import { listVerifications } from '@sixdigit/contract/otp.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { nowMs } from '../api/clock.ts';
import type { Page } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { TestSendForm } from './TestSendForm.tsx';
import { type SentTest, TestVerify } from './TestVerify.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Sends a code from the dashboard, follows its status and verifies it. */
export function TestSend({ opened, onClose }: Props) {
  const [sent, setSent] = useState<SentTest | 'another'>();
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onClosed={() => setSent(undefined)}
      title="Send a Test Code"
      description="Follows the same rules as an API call with one of your keys."
      size="lg"
    >
      <Body sent={sent} onSent={setSent} />
    </Dialog>
  );
}

interface BodyProps {
  /** 'another' when the form follows a sent code */
  sent: SentTest | 'another' | undefined;
  onSent: (sent: SentTest | 'another') => void;
}

function Body(props: BodyProps) {
  const query = useQuery(apiKeyChoices);
  return (
    <Loaded query={query} failure="Failed to fetch API keys">
      {(keys) => <WithKeys keys={keys} {...props} />}
    </Loaded>
  );
}

function WithKeys({ keys, sent, onSent }: BodyProps & { keys: Page<ApiKey> }) {
  const queryClient = useQueryClient();
  const usable = keys.results.filter(
    ({ scopes, expires_at }) =>
      scopes.includes('otp:send') && (expires_at === null || Date.parse(expires_at) > nowMs()),
  );
  if (usable.length === 0)
    return (
      <div>
        <p className="mt-0 mb-4">
          You need an API key to send a code. A test key sends no message and costs nothing.
        </p>
        <ButtonLink to="/api-keys" search={{ dialog: 'create' }}>
          Create API Key
        </ButtonLink>
      </div>
    );
  if (sent && sent !== 'another') return <TestVerify sent={sent} onAgain={() => onSent('another')} />;
  return (
    <TestSendForm
      keys={usable}
      autoFocus={sent === 'another'}
      onSent={(next) => {
        void invalidate(queryClient, listVerifications);
        onSent(next);
      }}
    />
  );
}
