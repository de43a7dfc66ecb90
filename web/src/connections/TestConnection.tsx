import { Alert, Button, NativeSelect, TextInput } from '@mantine/core';
import { type Connection, listConnections } from '@sixdigit/contract/connection-list.ts';
import { type ConnectionTest, testConnection } from '@sixdigit/contract/connections.ts';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import { DialogForm } from '../form/FormDialog.tsx';
import { prices } from '../payments/price-list.ts';
import { pricingNote } from '../payments/send-prices.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { labelOf } from '../ui/channel.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { LoneLink } from '../ui/links.tsx';
import { ReasonText } from '../ui/ReasonText.tsx';

interface Props {
  connection: Connection | undefined;
  opened: boolean;
  onClose: () => void;
}

const FREE = 'The message appears only in the test inbox and costs nothing.';

/** Plays a request of the system and shows it with the response and the message. */
export function TestConnection({ connection, opened, onClose }: Props) {
  const [result, setResult] = useState<ConnectionTest>();
  if (!opened && result) setResult(undefined);
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title="Test Connection"
      description={connection?.name}
      size="lg"
    >
      {connection && result ? (
        <Result
          result={result}
          isTest={connection.mode === 'test'}
          onAgain={() => setResult(undefined)}
          onClose={onClose}
        />
      ) : connection ? (
        <TestForm key={connection.id} connection={connection} onClose={onClose} onResult={setResult} />
      ) : null}
    </Dialog>
  );
}

function TestForm({
  connection,
  onClose,
  onResult,
}: {
  connection: Connection;
  onClose: () => void;
  onResult: (result: ConnectionTest) => void;
}) {
  const { endpoints, mode, id } = connection;
  const { data } = useQuery(prices);
  const isTest = mode === 'test';
  return (
    <DialogForm
      label="Test Connection"
      onClose={onClose}
      confirm="Send Test Request"
      busy="Sending..."
      refresh={[listConnections]}
      form={{
        schema: testConnection.body,
        initialValues: { kind: endpoints[0]?.kind ?? 'sms', recipient: '' },
        toBody: ({ kind, recipient }) => ({ kind, ...(recipient.trim() === '' ? {} : { recipient }) }),
        submit: (body) => call(testConnection, { params: { id }, body }),
        failure: 'Failed to test the connection',
        onSuccess: onResult,
      }}
    >
      {({ field }) => (
        <>
          <p className="m-0 text-ink-soft">
            Sixdigit makes the request that the system would make.{' '}
            {isTest
              ? FREE
              : `This connection is live: the message is sent. ${data ? pricingNote(data.sends, deployment().channels) : 'It costs credits.'}`}
          </p>
          <NativeSelect
            label="Address"
            data={endpoints.map(({ kind }) => ({ value: kind, label: labelOf(kind) }))}
            data-autofocus
            {...field('kind')}
          />
          <TextInput
            label="Recipient"
            description={
              isTest
                ? 'Leave empty for a test recipient.'
                : 'Leave empty for your own email address or phone number.'
            }
            autoComplete="off"
            {...field('recipient')}
          />
        </>
      )}
    </DialogForm>
  );
}

const Result = ({
  result: { request, response, message, otp_id, reason, error },
  isTest,
  onAgain,
  onClose,
}: {
  result: ConnectionTest;
  isTest: boolean;
  onAgain: () => void;
  onClose: () => void;
}) => (
  <>
    {otp_id === null ? (
      <Alert
        color="red"
        variant="light"
        role="status"
        className="mb-4"
        title="The request was refused."
        icon={<IconX aria-hidden />}
      >
        {error ?? 'The response contains the reason.'}
        {reason === null ? null : (
          <>
            {' '}
            (<ReasonText reason={reason} />)
          </>
        )}
      </Alert>
    ) : (
      <Alert
        color="green"
        variant="light"
        role="status"
        className="mb-4"
        title="The request was accepted."
        icon={<IconCheck aria-hidden />}
      >
        <p className="m-0">{isTest ? FREE : 'The message was sent.'}</p>
        <LoneLink to="/" search={{ otp: otp_id, ...(isTest && { mode: 'test' as const }) }}>
          View Verification
        </LoneLink>
      </Alert>
    )}
    {message === null ? null : <Part title="Message" code={message} />}
    <Part
      title="Request"
      code={`${request.method} ${request.url}\n${request.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}\n\n${request.body}`}
    />
    <Part
      title="Response"
      code={`${response.status}${response.content_type ? `\ncontent-type: ${response.content_type}` : ''}\n\n${response.body}`}
    />
    <DialogActions>
      <Button variant="default" onClick={onAgain}>
        Test Again
      </Button>
      <Button onClick={onClose} data-autofocus>
        Done
      </Button>
    </DialogActions>
  </>
);

const Part = ({ title, code }: { title: string; code: string }) => (
  <div className="mb-4">
    <h3 className="mt-0 mb-2 text-14 font-600">{title}</h3>
    <CodeBlock label={title} code={code} copyLabel={`Copy ${title.toLowerCase()}`} isWrapped />
  </div>
);
