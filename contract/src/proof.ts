import { z } from 'zod';
import { endUserAddress } from './addresses/end-user-address.ts';
import { SendTarget } from './otp-fields.ts';
import { route } from './route.ts';

/** Proof of work before a send, in the format of ALTCHA's first version, which its widget and libraries solve. */

/** When a send needs a proof, from the most lenient to the strictest. */
export const PROOF_MODES = ['never', 'under_pressure', 'always'] as const;
export type ProofMode = (typeof PROOF_MODES)[number];

/** How long a challenge can be used. */
export const PROOF_SECONDS = 600;
/** The numbers to try, on average half of them: without pressure, when a rule reaches its limit, and at most. */
export const PROOF_COST = { base: 5_000, atLimit: 50_000, most: 150_000 } as const;
const PROOF_MAX = 2_048;

/** Why a proof is not valid. */
export const PROOF_PROBLEMS = ['wrong', 'expired', 'other_recipient', 'used'] as const;
export type ProofProblem = (typeof PROOF_PROBLEMS)[number];

const MODES = `Require proof must be one of: ${PROOF_MODES.join(', ')}.`;
/** The setting of an account or a key. */
export const requireProof = z.enum(PROOF_MODES, { error: MODES });

const PROOF = 'Proof must be the base64 of a solved challenge.';
/** The field of a send. */
export const proof = z
  .string({ error: PROOF })
  .max(PROOF_MAX, `Proof must be at most ${PROOF_MAX} characters.`)
  .regex(/^[A-Za-z0-9+/]+={0,2}$/, PROOF);

export const Challenge = z.object({
  algorithm: z.literal('SHA-256'),
  challenge: z.string().meta({ description: 'The SHA-256 of the salt and the number to find, in hex' }),
  maxnumber: z.number().int().meta({ description: 'The number is not greater' }),
  salt: z.string().meta({ description: 'With the time of expiry, in seconds since 1970' }),
  signature: z.string(),
});
export type Challenge = z.infer<typeof Challenge>;

export const createChallenge = route('POST /otp/challenges/', {
  name: 'createChallenge',
  tag: 'otp',
  auth: 'api_key',
  scope: 'otp:send',
  summary: 'Make a proof-of-work challenge for a send',
  description: `Free. Pass the challenge to the page from which the code is requested. The page solves it, for example with the widget of ALTCHA, and your server passes the solution as \`proof\` of \`POST /otp/send/\`. A challenge is for one send to this recipient within ${PROOF_SECONDS / 60} minutes. It gets harder while the account’s rules on the destination reach their limits.`,
  body: z.object({ recipient: SendTarget.shape.recipient, client_ip: endUserAddress.optional() }),
  status: 201,
  reply: Challenge,
  failures: ['rate_limited'],
});
