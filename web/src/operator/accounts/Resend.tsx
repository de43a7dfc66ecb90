import { Button } from '@mantine/core';
import { resendVerification, resendWebhookMessage } from '@sixdigit/contract/operator/account-data.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/read.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';

/** Sends the code of an open verification again, for a customer whose code did not arrive. */
export const ResendCode = ({ account_id: id, otp_id }: { account_id: string; otp_id: string }) => (
  <Resend
    label="Resend Code"
    title="Resend Code"
    description="The recipient gets another message with the same key and text. The same limits apply, and the account is charged. The owner’s activity shows it."
    success="Code sent again"
    changed={`/operator/accounts/${id}/`}
    submit={(body) => call(resendVerification, { params: { id, otp_id }, body })}
  />
);

/** Queues a webhook message again. */
export const ResendMessage = ({
  account_id: id,
  ...message
}: {
  account_id: string;
  webhook_id: string;
  message_id: string;
}) => (
  <Resend
    label="Resend"
    title="Resend Message"
    description="The endpoint gets the message again with the same id. The owner’s activity shows it."
    success="Message queued"
    changed={`/operator/accounts/${id}/webhooks/${message.webhook_id}/`}
    submit={(body) => call(resendWebhookMessage, { params: { id, ...message }, body })}
  />
);

/** A button that asks for the reason. `changed` is the path of the data to reload. */
function Resend(props: {
  label: string;
  title: string;
  description: string;
  success: string;
  changed: `/${string}`;
  submit: (body: { reason: string }) => Promise<unknown>;
}) {
  const { label, title, description, success, changed, submit } = props;
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
        {label}
      </Button>
      <ReasonDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={title}
        description={description}
        schema={resendVerification.body}
        confirm="Resend"
        success={success}
        submit={async (body) => {
          await submit(body);
          await invalidate(queryClient, { path: changed });
        }}
      />
    </>
  );
}
