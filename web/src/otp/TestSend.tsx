import { Alert, Button, NativeSelect, TextInput } from '@mantine/core';
import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { WAIT_SECONDS } from '@sixdigit/contract/plan-fields.ts';
import { IconCoins, IconFlask } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { useMay } from '../accounts/role.ts';
import { useDeployment } from '../api/deployment.ts';
import type { Page } from '../api/list.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { wholeNumber } from '../form/whole-number.ts';
import { prices } from '../payments/price-list.ts';
import { busyButton } from '../ui/busy-button.ts';
import { labelOf } from '../ui/channel.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { type PlanValues as Plan, PlanFields } from './plans/PlanFields.tsx';
import { SendProblem } from './SendProblem.tsx';
import { fieldsOf, NO_OPTIONS, TestOptions } from './TestOptions.tsx';
import { TestVerify } from './TestVerify.tsx';
import { costOf, suggestedRecipient, type TestSent, useKeysThatSend, useTestSend } from './test-send.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Sends a code from the dashboard, follows its status and verifies it. */
export function TestSend({ opened, onClose }: Props) {
  const [sent, setSent] = useState<TestSent | 'another'>();
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onClosed={() => setSent(undefined)}
      title="Send a Test Code"
      description="Follows the same rules as an API call with one of your keys."
      size="lg"
    >
      <Body sent={sent} onSent={setSent} onClose={onClose} />
    </Dialog>
  );
}

interface BodyProps extends Pick<Props, 'onClose'> {
  /** 'another' when the form follows a sent code */
  sent: TestSent | 'another' | undefined;
  onSent: (sent: TestSent | 'another') => void;
}

function Body(props: BodyProps) {
  const query = useQuery(apiKeyChoices);
  return (
    <Loaded query={query} failure="Failed to fetch API keys">
      {(keys) => <WithKeys keys={keys} {...props} />}
    </Loaded>
  );
}

function WithKeys({ keys, sent, onSent, onClose }: BodyProps & { keys: Page<ApiKey> }) {
  const usable = useKeysThatSend()(keys.results);
  if (usable.length === 0)
    return (
      <div>
        <p className="mt-0 mb-4">
          You need an API key to send a code. A test key sends no message and costs nothing.
        </p>
        <ButtonLink to="/" search={{ dialog: 'create-key' }}>
          Create API Key
        </ButtonLink>
      </div>
    );
  if (sent && sent !== 'another') return <TestVerify sent={sent} onAgain={() => onSent('another')} />;
  return <TestSendForm keys={usable} autoFocus={sent === 'another'} onSent={onSent} onClose={onClose} />;
}

interface FormProps extends Pick<Props, 'onClose'> {
  /** at least one */
  keys: readonly ApiKey[];
  onSent: (sent: TestSent) => void;
  /** focuses the recipient; an opening dialog does so automatically */
  autoFocus: boolean;
}

/** Asks for key, channel and recipient. Preselects a test key, because it costs nothing. */
function TestSendForm({ keys, onSent, onClose, autoFocus }: FormProps) {
  const may = useMay();
  const { data: list } = useQuery(prices);
  const isOneCredit = list?.sends.every(({ credits, unit }) => credits === 1 && unit === 'request');
  const { data: user } = useQuery(currentUser);
  const { channels } = useDeployment();
  const offered = CHANNELS.filter((channel) => channels.includes(channel));
  const [api_key, setKey] = useState((keys.find(({ mode }) => mode === 'test') ?? keys[0])?.id ?? '');
  const usual = offered.includes('email') ? 'email' : (offered[0] ?? 'sms');
  const [chosen, setChannel] = useState<Channel>(usual);
  const ofPhones = offered.filter((one) => factsOf(one).recipient === 'phone');
  const [plan, setPlan] = useState<Plan>();
  const channel = plan?.channels[0] ?? chosen;
  const [typed, setTyped] = useState<string>();
  const [options, setOptions] = useState(NO_OPTIONS);
  const isTest = keys.find(({ id }) => id === api_key)?.mode === 'test';
  const recipient = typed ?? suggestedRecipient(channel, isTest, user);

  const send = useTestSend({ isTest, onSent });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const how = plan
      ? { channels: plan.channels, wait_seconds: wholeNumber(plan.wait, WAIT_SECONDS.default) }
      : { channel };
    send.submit({ api_key, ...how, recipient, ...fieldsOf(options, channel) });
  };

  return (
    <form className="grid grid-cols-1 gap-4" onSubmit={submit} noValidate>
      <SendProblem send={send} />
      <NativeSelect
        label="API key"
        value={api_key}
        onChange={(event) => {
          setKey(event.currentTarget.value);
          setTyped(undefined);
        }}
        data={keys.map(({ id, name, mode }) => ({ value: id, label: `${name} (${mode})` }))}
      />
      {ofPhones.length > 1 ? (
        <SegmentedControl
          aria-label="How the code is sent"
          data={[
            { value: 'one', label: 'One channel' },
            { value: 'several', label: 'Several in turn' },
          ]}
          value={plan ? 'several' : 'one'}
          onChange={(how) => {
            setPlan(
              how === 'several'
                ? { channels: ofPhones.slice(0, 2), wait: String(WAIT_SECONDS.default) }
                : undefined,
            );
            setTyped(undefined);
          }}
        />
      ) : null}
      {plan ? (
        <PlanFields plan={plan} offered={ofPhones} onChange={setPlan} problems={send.problems} />
      ) : (
        <NativeSelect
          label="Channel"
          value={channel}
          onChange={(event) => {
            setChannel(event.currentTarget.value as Channel);
            setTyped(undefined);
          }}
          data={offered.map((value) => ({ value, label: labelOf(value) }))}
        />
      )}
      <TextInput
        label="Recipient"
        value={recipient}
        error={send.problems.recipient}
        maxLength={320}
        inputMode={channel === 'email' ? 'email' : 'tel'}
        enterKeyHint="send"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
        autoFocus={autoFocus}
      />
      <TestOptions options={options} onChange={setOptions} channel={channel} problems={send.problems} />
      <Alert
        color={isTest ? 'petrol' : 'orange'}
        variant="light"
        icon={isTest ? <IconFlask aria-hidden /> : <IconCoins aria-hidden />}
      >
        {costOf({ isTest, channel, cost: plan || !isOneCredit ? undefined : '1 credit' })}
        {!isTest && !keys.some(({ mode }) => mode === 'test') && may('createApiKey') ? (
          <>
            {' '}
            <PageLink to="/" search={{ dialog: 'create-key' }} className="whitespace-nowrap">
              Create a free test key
            </PageLink>
          </>
        ) : null}
      </Alert>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" {...busyButton(send.isBusy)}>
          {send.isBusy ? 'Sending...' : 'Send Code'}
        </Button>
      </DialogActions>
    </form>
  );
}
