import { Alert, Button } from '@mantine/core';
import type { NewApiKey } from '@sixdigit/contract/api-keys.ts';
import { TEST_DOMAIN } from '@sixdigit/contract/test-mode.ts';
import { IconShieldLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { ownTarget, sendCurl, shellWord } from '../api/curl.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { SecretValue } from '../ui/SecretValue.tsx';
import { TwilioClient } from './TwilioClient.tsx';

interface Props {
  created: NewApiKey | undefined;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

/** A test recipient whose messages are delivered. */
const TEST_TARGET = { channel: 'email', recipient: `delivered@${TEST_DOMAIN}` } as const;

const Hint = ({ children }: { children: ReactNode }) => (
  <p className="mt-5 mb-2 text-14 text-ink-soft">{children}</p>
);

/** Shows the whole key once. The parent must drop it in `onClosed`. */
export function RevealApiKey({ created, opened, onClose, onClosed }: Props) {
  const { data: user } = useQuery(currentUser);
  const isTest = created?.mode === 'test';
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onClosed={onClosed}
      title="Your New API Key"
      description={created?.name}
      size="lg"
      closesOnClickOutside={false}
    >
      {created ? (
        <>
          <Alert color="orange" variant="light" title="Security notice" icon={<IconShieldLock aria-hidden />}>
            This is the only time you will see this key. Store it securely. If you lose it, create a new one.
          </Alert>
          <SecretValue value={created.key} />
          {created.retired ? (
            <Hint>
              The old secret {created.retired.prefix}… stays valid until{' '}
              {shortDateTime(created.retired.valid_until)}.
            </Hint>
          ) : null}
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
          <DialogActions>
            <Button onClick={onClose}>I've Copied the Key</Button>
          </DialogActions>
        </>
      ) : null}
    </Dialog>
  );
}
