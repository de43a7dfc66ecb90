import { Alert, Button, NativeSelect, TextInput } from '@mantine/core';
import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { listVerifications } from '@sixdigit/contract/otp.ts';
import { TEST_CODE, TEST_DOMAIN, TEST_RECIPIENTS } from '@sixdigit/contract/test-mode.ts';
import { sendTestCode } from '@sixdigit/contract/test-send.ts';
import { IconCoins, IconFlask } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { ApiError, call, sentence } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { deployment } from '../api/deployment.ts';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import type { Page } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { busyButton } from '../ui/busy-button.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import { labelOf } from './channel.ts';
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

interface FormProps {
  /** at least one */
  keys: readonly ApiKey[];
  onSent: (sent: SentTest) => void;
  /** focuses the recipient; an opening dialog does so automatically */
  autoFocus: boolean;
}

interface SentBody {
  api_key: string;
  channel: Channel;
  recipient: string;
}

/** Asks for key, channel and recipient. Preselects a test key, because it costs nothing. */
function TestSendForm({ keys, onSent, autoFocus }: FormProps) {
  const { data: user } = useQuery(currentUser);
  const { channels, sandbox } = deployment();
  const offered = CHANNELS.filter((channel) => channels.includes(channel));
  const [api_key, setKey] = useState((keys.find(({ mode }) => mode === 'test') ?? keys[0])?.id ?? '');
  const usual = offered.includes('email') ? 'email' : (offered[0] ?? 'sms');
  const [channel, setChannel] = useState<Channel>(usual);
  const [typed, setTyped] = useState<string>();
  const isTest = keys.find(({ id }) => id === api_key)?.mode === 'test';
  const recipient = typed ?? suggestedRecipient(channel, isTest, user);

  const send = useMutation({
    mutationFn: (request: { body: SentBody; idempotencyKey: string }) => call(sendTestCode, request),
    onSuccess: ({ otp_id, recipient: to }) => onSent({ otp_id, api_key, isTest, channel, recipient: to }),
  });
  const refused = send.error instanceof ApiError ? send.error.fields : {};
  const problem =
    send.error && Object.keys(refused).length === 0
      ? sentence(send.error, 'Failed to send the code')
      : refused.channel?.[0];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (send.isPending) return;
    const body = { api_key, channel, recipient };
    // The same send after a lost response is charged once.
    const lost = send.error instanceof ApiError && send.error.status === 0 ? send.variables : undefined;
    const isSame = JSON.stringify(lost?.body) === JSON.stringify(body);
    send.mutate(lost && isSame ? lost : { body, idempotencyKey: newIdempotencyKey() });
  };

  return (
    <form className="grid grid-cols-1 gap-4" onSubmit={submit} noValidate>
      <ErrorAlert problem={problem} />
      {send.error instanceof ApiError && send.error.reason === 'insufficient_credits' ? (
        <PageLink to="/credits">Buy credits</PageLink>
      ) : null}
      <NativeSelect
        label="API key"
        value={api_key}
        onChange={(event) => {
          setKey(event.currentTarget.value);
          setTyped(undefined);
        }}
        data={keys.map(({ id, name, mode }) => ({ value: id, label: `${name} (${mode})` }))}
      />
      <NativeSelect
        label="Channel"
        value={channel}
        onChange={(event) => {
          setChannel(event.currentTarget.value as Channel);
          setTyped(undefined);
        }}
        data={offered.map((value) => ({ value, label: labelOf(value) }))}
      />
      <TextInput
        label="Recipient"
        value={recipient}
        error={refused.recipient?.[0]}
        maxLength={320}
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
        autoFocus={autoFocus}
      />
      {isTest ? (
        <Alert color="petrol" variant="light" icon={<IconFlask aria-hidden />}>
          Test key: no message is sent, and nothing is charged. The code is the first digits of {TEST_CODE}.
        </Alert>
      ) : (
        <Alert color="orange" variant="light" icon={<IconCoins aria-hidden />}>
          {sandbox?.channels.includes(channel)
            ? 'Live key: this costs credits. The message arrives in the sandbox inbox.'
            : 'Live key: this sends a real message and costs credits.'}
        </Alert>
      )}
      <DialogActions>
        <Button type="submit" {...busyButton(send.isPending)}>
          {send.isPending ? 'Sending...' : 'Send Code'}
        </Button>
      </DialogActions>
    </form>
  );
}

const [delivered] = TEST_RECIPIENTS;

/** A test recipient whose message is delivered. */
const testRecipient = (channel: Channel): string =>
  factsOf(channel).recipient === 'email' ? `${delivered.local}@${TEST_DOMAIN}` : delivered.phone;

/** The suggested recipient: a test recipient for a test key, the user for a live key. */
function suggestedRecipient(
  channel: Channel,
  isTest: boolean,
  user: { email: string; phone_number: string } | undefined,
): string {
  if (isTest) return testRecipient(channel);
  return (factsOf(channel).recipient === 'email' ? user?.email : user?.phone_number) ?? '';
}
