import {
  type ApiKey,
  type NewApiKey as Created,
  listApiKeys,
  ROTATION_DAYS_MAX,
  rotateApiKey,
} from '@sixdigit/contract/api-keys.ts';
import { TEST_DOMAIN } from '@sixdigit/contract/test-mode.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { call } from '../api/call.ts';
import { ownTarget, sendCurl, shellWord } from '../api/curl.ts';
import { RotateSecretDialog } from '../form/RotateSecretDialog.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { countOf } from '../ui/numbers.ts';
import { RevealSecretDialog, useRevealed } from '../ui/RevealSecretDialog.tsx';
import { CreateApiKey } from './ApiKeyForm.tsx';
import { TwilioClient } from './TwilioClient.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Creates a key on any screen, and shows it once. Both dialogs lead back to that screen. */
export function NewApiKey({ opened, onClose }: Props) {
  const { revealed, reveal, dialog } = useRevealed<Created>();
  return (
    <>
      <CreateApiKey
        opened={opened}
        onClose={onClose}
        onCreated={(key) => {
          onClose();
          reveal(key);
        }}
      />
      <RevealApiKey created={revealed} {...dialog} />
    </>
  );
}

const validDays = Array.from({ length: ROTATION_DAYS_MAX }, (_, n) => ({
  value: String(n + 1),
  label: countOf(n + 1, 'day'),
}));

/** Gives a key a new secret, and shows it once. */
export function RotateApiKey({ apiKey, opened, onClose }: Props & { apiKey: ApiKey | undefined }) {
  const { revealed, reveal, dialog } = useRevealed<Created>();
  const { id = '', retired } = apiKey ?? {};
  return (
    <>
      <RotateSecretDialog
        opened={opened}
        onClose={onClose}
        of={apiKey}
        title="Rotate API Key"
        confirm="Rotate API Key"
        about={`The key gets a new secret, which is shown once. Its name, settings and history do not change.${
          retired
            ? ` The secret ${retired.prefix}… of the last rotation, valid until ${shortDateTime(retired.valid_until)}, stops working immediately.`
            : ''
        }`}
        field="valid_days"
        byDefault={1}
        choices={validDays}
        hint="Choose long enough to update every program."
        schema={rotateApiKey.body}
        submit={(body) => call(rotateApiKey, { params: { id }, body })}
        failure="Failed to rotate the API key"
        refresh={[listApiKeys]}
        onRotated={(key) => {
          onClose();
          reveal(key);
        }}
      />
      <RevealApiKey created={revealed} {...dialog} />
    </>
  );
}

interface RevealProps extends Props {
  created: Created | undefined;
  onClosed: () => void;
}

/** A test recipient whose messages are delivered. */
const TEST_TARGET = { channel: 'email', recipient: `delivered@${TEST_DOMAIN}` } as const;

const Hint = ({ children }: { children: ReactNode }) => (
  <p className="mt-5 mb-2 text-14 text-ink-soft">{children}</p>
);

/** Shows the whole key once. */
function RevealApiKey({ created, ...dialog }: RevealProps) {
  const { data: user } = useQuery(currentUser);
  const isTest = created?.mode === 'test';
  return (
    <RevealSecretDialog
      {...dialog}
      title="Your New API Key"
      description={created?.name}
      warning="This is the only time you will see this key. Store it securely. If you lose it, create a new one."
      secret={created?.key}
      done="I've Copied the Key"
    >
      {created?.retired ? (
        <Hint>
          The old secret {created.retired.prefix}… stays valid until{' '}
          {shortDateTime(created.retired.valid_until)}.
        </Hint>
      ) : null}
      {created ? (
        <>
          <Hint>
            {isTest ? 'Send a test code now. It appears in the test inbox:' : 'Send yourself a code now:'}
          </Hint>
          <CodeBlock
            language="bash"
            label="Send a code with the new key"
            code={`export API_KEY=${shellWord(created.key)}\n${sendCurl(isTest ? TEST_TARGET : ownTarget(user))}`}
          />
          <div className="mt-5">
            <TwilioClient apiKey={created} />
          </div>
        </>
      ) : null}
    </RevealSecretDialog>
  );
}
