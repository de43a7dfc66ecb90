import { z } from 'zod';
import { headerText, headerTextMessage, id, optionalTime, REQUIRED, requiredText, time } from '../field.ts';
import { route } from '../route.ts';

/**
 * Passkeys (WebAuthn). The options and credentials are those of the browser's interface, as JSON (WebAuthn Level 3, 5.1). A passkey
 * proves that the user unlocked it, so it signs in alone; it is also a second factor after the password.
 */
export const PASSKEYS_MAX = 20;

const own = { tag: 'account', auth: 'person' } as const;
const open = { tag: 'auth', auth: 'none' } as const;
const Tokens = z.object({ access: z.string(), refresh: z.string() });
const session_token = z.string().min(1, REQUIRED).max(200);

const text = z.string().max(20_000);
const CREDENTIAL_MESSAGE = 'Send the credential as the browser returned it.';

/** The result of `navigator.credentials.create()`, as JSON. */
const NewCredential = z.looseObject(
  {
    id: text.min(1),
    rawId: text,
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: text,
      attestationObject: text,
      transports: z.array(z.string().max(40)).max(10).optional(),
    }),
    clientExtensionResults: z.looseObject({}),
  },
  { error: CREDENTIAL_MESSAGE },
);
export type NewCredential = z.infer<typeof NewCredential>;

/** The result of `navigator.credentials.get()`, as JSON. */
const Assertion = z.looseObject(
  {
    id: text.min(1),
    rawId: text,
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: text,
      authenticatorData: text,
      signature: text,
      userHandle: text.nullish(),
    }),
    clientExtensionResults: z.looseObject({}),
  },
  { error: CREDENTIAL_MESSAGE },
);
export type Assertion = z.infer<typeof Assertion>;

const options = z
  .looseObject({ challenge: z.string() })
  .meta({ description: 'Options for the browser, valid for 5 minutes and for one credential' });

const name = requiredText('Please enter a name')
  .max(60, 'Name must be at most 60 characters')
  .refine(headerText, headerTextMessage('Name'));

// ── the passkeys of an account ──

export const Passkey = z.object({
  id,
  name: z.string(),
  is_synced: z
    .boolean()
    .meta({ description: 'Whether the passkey is synchronized between the devices of the user' }),
  created_at: time,
  last_used_at: optionalTime,
});
export type Passkey = z.infer<typeof Passkey>;

export const startPasskey = route('POST /profile/passkeys/options/', {
  ...own,
  name: 'startPasskey',
  ownProof: true,
  stepUp: true,
  summary: 'Start adding a passkey',
  reply: z.object({ options }),
  fieldErrors: true,
});
export const addPasskey = route('POST /profile/passkeys/', {
  ...own,
  name: 'addPasskey',
  ownProof: true,
  stepUp: true,
  summary: 'Add a passkey; an account has at most 20',
  description: 'Adding the first app or passkey of an account also creates its recovery codes.',
  body: z.object({ name, credential: NewCredential }),
  status: 201,
  reply: Passkey.extend({
    recovery_codes: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Ten single-use codes, returned only in this response' }),
  }),
  failures: ['invalid_passkey'],
});
export const renamePasskey = route('PUT /profile/passkeys/:id/', {
  ...own,
  name: 'renamePasskey',
  ownProof: true,
  summary: 'Rename a passkey',
  body: z.object({ name }),
  reply: Passkey,
  failures: ['not_found'],
});
export const removePasskey = route('DELETE /profile/passkeys/:id/', {
  ...own,
  name: 'removePasskey',
  ownProof: true,
  stepUp: true,
  summary: 'Remove a passkey',
  failures: ['not_found'],
});

// ── signing in ──

export const startPasskeySignIn = route('POST /auth/passkey/options', {
  ...open,
  name: 'startPasskeySignIn',
  summary: 'Start a sign-in with a passkey, without an email address',
  reply: z.object({ options }),
});
export const signInWithPasskey = route('POST /auth/passkey', {
  ...open,
  name: 'signInWithPasskey',
  summary: 'Sign in with a passkey, which counts as both factors',
  body: z.object({ credential: Assertion }),
  reply: Tokens,
  failures: ['invalid_passkey', 'passkey_suspected', 'too_many_requests'],
});

export const startPasskeyStep = route('POST /auth/verify-passkey/options', {
  ...open,
  name: 'startPasskeyStep',
  summary: 'Start the second step of a sign-in with a passkey',
  body: z.object({ session_token }),
  reply: z.object({ options }),
  failures: ['invalid_session_token', 'second_factor_unavailable'],
});
export const verifyPasskey = route('POST /auth/verify-passkey', {
  ...open,
  name: 'verifyPasskey',
  summary: 'Complete a sign-in with a passkey',
  body: z.object({ session_token, credential: Assertion }),
  reply: Tokens,
  failures: ['invalid_session_token', 'invalid_passkey', 'passkey_suspected', 'too_many_requests'],
});

// ── step-up ──

export const startPasskeyStepUp = route('POST /auth/step-up/passkey/options/', {
  ...own,
  name: 'startPasskeyStepUp',
  summary: 'Start a step-up with a passkey',
  reply: z.object({ options }),
  failures: ['step_up_method_refused'],
});
export const stepUpWithPasskey = route('POST /auth/step-up/passkey/', {
  ...own,
  name: 'stepUpWithPasskey',
  summary: 'Confirm the identity of the user with a passkey, for 15 minutes',
  body: z.object({ credential: Assertion }),
  reply: z.object({ proven_until: time }),
  failures: ['step_up_method_refused', 'invalid_passkey', 'passkey_suspected', 'too_many_requests'],
});
