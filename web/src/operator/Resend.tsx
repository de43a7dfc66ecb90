import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { resendVerification } from '#contract/operator-account-data.ts';
import { call } from '../api/call.ts';
import { ACCOUNTS } from './operator.ts';
import { ReasonDialog } from './ReasonDialog.tsx';

/** Sends the code of an open verification again, for a customer whose code did not arrive. */
export function Resend({ account_id: id, otp_id }: { account_id: string; otp_id: string }) {
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
        Resend Code
      </Button>
      <ReasonDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Resend Code"
        description="The recipient gets another message, as if the customer had sent again: with the same key and text, by the same limits, and charged to the account. The audit and the owner's activity have it."
        schema={resendVerification.body}
        confirm="Resend"
        success="Code sent again"
        submit={async (body) => {
          await call(resendVerification, { params: { id, otp_id }, body });
          await queryClient.invalidateQueries({ queryKey: [...ACCOUNTS, id] });
        }}
      />
    </>
  );
}
