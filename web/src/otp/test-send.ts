import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { TEST_DOMAIN, TEST_RECIPIENTS } from '@sixdigit/contract/test-mode.ts';

const [delivered] = TEST_RECIPIENTS;

/** A recipient whose test message arrives. */
export const testRecipient = (channel: Channel): string =>
  factsOf(channel).recipient === 'email' ? `${delivered.local}@${TEST_DOMAIN}` : delivered.phone;

/** The recipient that the form suggests: a test recipient for a test key, the user for a live key. */
export function suggestedRecipient(
  channel: Channel,
  isTest: boolean,
  user: { email: string; phone_number: string } | undefined,
): string {
  if (isTest) return testRecipient(channel);
  return (factsOf(channel).recipient === 'email' ? user?.email : user?.phone_number) ?? '';
}
