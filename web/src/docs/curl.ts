import type { Channel } from '#contract/otp.ts';
import { sendOtp, verifyOtp } from '#contract/otp.ts';
import { deployment } from '../api/deployment.ts';

/** Text as one word of a shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Where a sample sends a code: to its reader, so that it can be pasted without disturbing anybody. */
export interface Target {
  channel: Channel;
  recipient: string;
}

/** The reader's own address, on a channel that this deployment can send on. */
export function ownTarget(user: { email: string; phone_number: string } | undefined): Target {
  const { channels } = deployment();
  const byMail = channels.includes('email') || !user?.phone_number;
  if (byMail) return { channel: 'email', recipient: user?.email ?? 'you@example.com' };
  return { channel: channels.includes('sms') ? 'sms' : 'voice', recipient: user.phone_number };
}

/** Works as pasted in a shell that has API_KEY. */
export const sendCurl = (target: Target): string => `curl -X POST ${deployment().api_url}${sendOtp.path} \\
  -H "X-API-Key: $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d ${shellWord(JSON.stringify(target))}`;

/** Asks for the code that arrived; one command, so that the paste does not answer the question itself. */
export const verifyCurl = (otp_id: string): string => `printf 'Code: ' && read -r CODE && \\
curl -X POST ${deployment().api_url}${verifyOtp.path} \\
  -H "X-API-Key: $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d "{\\"otp_id\\": \\"${otp_id}\\", \\"code\\": \\"$CODE\\"}"`;
