import type { sendOtp, verifyOtp } from '../otp.ts';

// Screens with a command need not load these calls' descriptions.
const SEND: (typeof sendOtp)['path'] = '/otp/send/';
const VERIFY: (typeof verifyOtp)['path'] = '/otp/verify/';

/** Quotes text as one shell word. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Text inside a shell's double quotes: the key, or an error that names the chosen key if API_KEY is not set. */
export const keyInShell = (prefix?: string): string =>
  prefix ? `\${API_KEY:?set it to the key ${prefix}...}` : '$API_KEY';

/** Runs as pasted in a shell that sets API_KEY. */
export const sendCurl = (
  apiUrl: string,
  body: object,
  prefix?: string,
): string => `curl -X POST ${apiUrl}${SEND} \\
  -H "X-API-Key: ${keyInShell(prefix)}" \\
  -H "Content-Type: application/json" \\
  -d ${shellWord(JSON.stringify(body))}`;

/** Prompts for the received code. It is one command, so that the prompt does not read the rest of the paste. */
export const verifyCurl = (apiUrl: string, otp_id: string): string => `printf 'Code: ' && read -r CODE && \\
curl -X POST ${apiUrl}${VERIFY} \\
  -H "X-API-Key: $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d "{\\"otp_id\\": \\"${otp_id}\\", \\"code\\": \\"$CODE\\"}"`;
