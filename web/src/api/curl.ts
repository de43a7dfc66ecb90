import type { Channel } from '@sixdigit/contract/channels.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { deployment } from './deployment.ts';

/** Quotes text as one shell word. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The samples' recipient is the reader, so that a pasted sample never messages a stranger. */
export interface Target {
  channel: Channel;
  recipient: string;
}

/** The reader's address on a channel that this deployment can send on. */
export function ownTarget(user: { email: string; phone_number: string } | undefined): Target {
  const { channels } = deployment();
  const byMail = channels.includes('email') || !user?.phone_number;
  if (byMail) return { channel: 'email', recipient: user?.email ?? 'you@example.com' };
  return { channel: channels.includes('sms') ? 'sms' : 'voice', recipient: user.phone_number };
}

/** Text inside a shell's double quotes: the key, or an error that names the chosen key if API_KEY is not set. */
export const keyInShell = (prefix?: string): string =>
  prefix ? `\${API_KEY:?set it to the key ${prefix}...}` : '$API_KEY';

/** Runs as pasted in a shell that sets API_KEY. */
export const sendCurl = (
  target: Target,
  prefix?: string,
): string => `curl -X POST ${deployment().api_url}${sendOtp.path} \\
  -H "X-API-Key: ${keyInShell(prefix)}" \\
  -H "Content-Type: application/json" \\
  -d ${shellWord(JSON.stringify(target))}`;

/** Prompts for the received code. It is one command, so that the prompt does not read the rest of the paste. */
export const verifyCurl = (otp_id: string): string => `printf 'Code: ' && read -r CODE && \\
curl -X POST ${deployment().api_url}${verifyOtp.path} \\
  -H "X-API-Key: $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d "{\\"otp_id\\": \\"${otp_id}\\", \\"code\\": \\"$CODE\\"}"`;
