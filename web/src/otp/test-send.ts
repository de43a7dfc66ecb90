import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { TEST_CODE, TEST_DOMAIN, TEST_RECIPIENTS } from '@sixdigit/contract/test-mode.ts';
import { sendTestCode } from '@sixdigit/contract/test-send.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, call, sentence } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { deployment } from '../api/deployment.ts';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import { invalidate } from '../api/read.ts';
import { useMayManage } from '../api-keys/live-keys.ts';
import type { SentCode } from './arrived.ts';

type Body = Given<typeof sendTestCode, 'body'>;

/** A code that this dialog sent. */
export interface TestSent extends SentCode {
  /** the fields of the request */
  asked: object;
}

export type TestSending = ReturnType<typeof useTestSend>;

/** Sends a code with a key of the account. */
export function useTestSend({ isTest, onSent }: { isTest: boolean; onSent: (sent: TestSent) => void }) {
  const queryClient = useQueryClient();
  const { mutate, error, variables, isPending } = useMutation({
    mutationFn: (request: { body: Body; idempotencyKey: string }) => call(sendTestCode, request),
    onSuccess: ({ otp_id, recipient, channel, channels }, { body: { api_key, ...asked } }) => {
      void invalidate(queryClient, listVerifications, listRequestLogs);
      onSent({ otp_id, api_key, isTest, channel, channels, recipient, asked });
    },
  });
  const { reason, fields = {}, status } = error instanceof ApiError ? error : {};
  const problem =
    error && Object.keys(fields).length === 0
      ? sentence(error, 'Failed to send the code')
      : (fields.channel?.[0] ?? fields.api_key?.[0]);
  return {
    isBusy: isPending,
    /** for the alert above the fields */
    problem,
    /** for the fields */
    problems: Object.fromEntries(Object.entries(fields).map(([name, [first]]) => [name, first])) as Partial<
      Record<string, string>
    >,
    needsCredits: reason === 'insufficient_credits',
    submit: (body: Body): void => {
      if (isPending) return;
      // The same send after a lost response is charged once.
      const lost = status === 0 ? variables : undefined;
      const isSame = JSON.stringify(lost?.body) === JSON.stringify(body);
      mutate(lost && isSame ? lost : { body, idempotencyKey: newIdempotencyKey() });
    },
  };
}

/** Chooses the keys with which the user can send from the dashboard. */
export function useKeysThatSend(): (keys: readonly ApiKey[]) => ApiKey[] {
  const mayManage = useMayManage();
  return (keys) =>
    keys.filter(
      ({ scopes, expires_at, mode }) =>
        scopes.includes('otp:send') &&
        (expires_at === null || Date.parse(expires_at) > nowMs()) &&
        mayManage(mode),
    );
}

/** What a send costs, and where its message goes. */
export function costOf({
  isTest,
  channel,
  cost = 'credits',
}: Pick<SentCode, 'isTest' | 'channel'> & { cost?: string | undefined }): string {
  if (isTest)
    return `Test key: no message is sent, and nothing is charged. The code is the first digits of ${TEST_CODE}.`;
  return deployment().sandbox?.channels.includes(channel)
    ? 'Simulated: the message arrives in the sandbox inbox.'
    : `Live key: this sends a real message and costs ${cost}.`;
}

const [delivered] = TEST_RECIPIENTS;

/** A test recipient whose message is delivered. */
const testRecipient = (channel: Channel): string =>
  factsOf(channel).recipient === 'email' ? `${delivered.local}@${TEST_DOMAIN}` : delivered.phone;

/** The suggested recipient: a test recipient for a test key, the user for a live key. */
export function suggestedRecipient(
  channel: Channel,
  isTest: boolean,
  user: { email: string; phone_number: string } | undefined,
): string {
  if (isTest) return testRecipient(channel);
  return (factsOf(channel).recipient === 'email' ? user?.email : user?.phone_number) ?? '';
}
