import { factsOf } from '@sixdigit/contract/channels.ts';
import type { Target } from '@sixdigit/contract/docs/chapter.ts';
import * as curl from '@sixdigit/contract/docs/curl.ts';
import { deployment } from './deployment.ts';

export { keyInShell, shellWord } from '@sixdigit/contract/docs/curl.ts';
export type { Target };

/** The reader's address on a channel that this deployment can send on. */
export function ownTarget(user: { email: string; phone_number: string } | undefined): Target {
  const { channels } = deployment();
  const byMail = channels.includes('email') || !user?.phone_number;
  if (byMail) return { channel: 'email', recipient: user?.email ?? 'you@example.com' };
  const channel = channels.find((one) => factsOf(one).recipient === 'phone') ?? 'sms';
  return { channel, recipient: user.phone_number };
}

/** Runs as pasted in a shell that sets API_KEY. */
export const sendCurl = (body: object, prefix?: string): string =>
  curl.sendCurl(deployment().api_url, body, prefix);

export const verifyCurl = (otp_id: string): string => curl.verifyCurl(deployment().api_url, otp_id);
