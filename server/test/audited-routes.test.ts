import { deleteMe, updateProfile, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { updateBranding, updateLowBalance } from '@sixdigit/contract/accounts/branding.ts';
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '@sixdigit/contract/accounts/invitations.ts';
import { changeRole, leaveAccount, listMembers, removeMember } from '@sixdigit/contract/accounts/members.ts';
import { createAccount, renameAccount, transferCredits } from '@sixdigit/contract/accounts/own-accounts.ts';
import {
  changePassword,
  forgotPassword,
  resetPassword,
  resetPasswordByLink,
} from '@sixdigit/contract/accounts/passwords.ts';
import { endSession, listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { refreshTokens, signIn, signOut, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import {
  createApiKey,
  deleteApiKey,
  rotateApiKey,
  updateApiKey,
  updateKeyRules,
} from '@sixdigit/contract/api-keys.ts';
import { type AuditAction, listAuditEntries } from '@sixdigit/contract/audit.ts';
import {
  createConnection,
  deleteConnection,
  rotateConnection,
  updateConnection,
} from '@sixdigit/contract/connections.ts';
import { createLimit, deleteLimit, updateLimit } from '@sixdigit/contract/limits.ts';
import {
  confirmSandboxPayment,
  createIntent,
  createWithSaved,
  deletePaymentMethod,
  updateAutoPurchase,
} from '@sixdigit/contract/payments.ts';
import { updatePlans } from '@sixdigit/contract/plans.ts';
import {
  allowDestination,
  deleteKnownRecipients,
  denyDestination,
  importKnownRecipients,
  removeKnownRecipient,
  removeListEntry,
  unblockDestination,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { createSuppression, deleteSuppression } from '@sixdigit/contract/suppressions.ts';
import { createTemplate, deleteTemplate, updateTemplate } from '@sixdigit/contract/templates.ts';
import { cancelVerification } from '@sixdigit/contract/verifications.ts';
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '@sixdigit/contract/webhooks.ts';
import { beforeAll, expect, test, vi } from 'vitest';
import { unblockToken } from '../src/protection/mails.ts';
import { type Owner, owner, TEST_CARD } from './belongings.ts';
import type { CallInput } from './call.ts';
import { startReceiver } from './fakes/receiver.ts';
import { fixture } from './fixture.ts';
import { invitationTokenFor } from './members.ts';
import { anotherSession, codeFor, linkTokenFor, person } from './person.ts';
import { testService } from './service.ts';

/** Routes that change something but leave no entry, by the reason. */
const WITHOUT_ENTRY: Record<string, readonly string[]> = {
  'the list of verifications and the request log have it': [
    'sendOtp',
    'verifyOtp',
    'sendTestCode',
    'sendVerificationAgain',
    'verifyTestCode',
    'resendOtp',
    'testConnection',
  ],
  'the history of the verification has it': ['cancelOtp'],
  'the verification has it': ['reportOutcome'],
  'changes nothing': [
    'createChallenge',
    'checkDestination',
    'checkOwnDestination',
    'backTestRule',
    'playWorstDay',
    'showInvitation',
    'checkResetLink',
    'previewBranding',
    'previewTemplate',
    'calculatePrice',
    'finishSsoTest',
  ],
  'the member’s own choice of mails': ['updateNotices'],
  'the person has no account that could show it': ['deleteProfile'],
  'sends a code again': ['resendTwoFactor'],
  'anyone may request it for any address; the reset itself is recorded': ['forgotPassword'],
  'continues a session; a token used twice is recorded': ['refreshTokens'],
  'sends a code; its use is recorded': ['sendStepUpCode'],
  'the attempts of the webhook have it': ['testWebhook', 'replayFailedWebhooks', 'replayWebhookMessage'],
  'the purchase is recorded when its payment is credited': ['confirmPayment'],
  'the account is created with the code': ['signUp'],
  'sends a code; the sign-in is recorded': ['sendSignInCode'],
  'asks for a passkey; its addition is recorded': ['startPasskey'],
  'asks for a passkey; the sign-in is recorded': ['startPasskeySignIn', 'startPasskeyStep'],
  'asks for a passkey; the proof is recorded': ['startPasskeyStepUp'],
  'shows a secret; its confirmation is recorded': ['startAuthenticator'],
  'leads to the identity provider; the sign-in is recorded': ['startSso', 'startSsoByIssuer'],
  'leads to the identity provider; changes nothing': ['startSsoTest'],
  'leads to the identity provider; the proof is recorded': ['startSsoStepUp'],
};

/** Routes that need an authenticator, a name server or an identity provider, or write the entry of another account, each with its entry. Their own tests call them. */
const CALLED_ELSEWHERE: Record<string, AuditAction> = {
  createAccount: 'account.create',
  addPasskey: 'passkey.add',
  renamePasskey: 'passkey.change',
  removePasskey: 'passkey.remove',
  signInWithPasskey: 'sign_in.succeed',
  verifyPasskey: 'sign_in.succeed',
  stepUpWithPasskey: 'step_up.succeed',
  confirmAuthenticator: 'authenticator.add',
  removeAuthenticator: 'authenticator.remove',
  createRecoveryCodes: 'recovery_codes.create',
  verifyRecoveryCode: 'recovery_codes.use',
  endAllSessions: 'session.end_all',
  addMessageDomain: 'message_domain.add',
  verifyMessageDomain: 'message_domain.verify',
  removeMessageDomain: 'message_domain.remove',
  updateSso: 'sso.change',
  removeSso: 'sso.remove',
  checkSso: 'sso.verify_domain',
  finishSso: 'member.join',
  linkSso: 'sso.link',
};

let alice: Owner;
const secrets: string[] = [];

const receiver = fixture(startReceiver);
const service = fixture(testService);
beforeAll(async () => {
  alice = await owner(service, 'Alice', receiver.at('/ok'));
  secrets.push(alice.access, alice.refresh, alice.api_key, alice.webhook_secret, alice.password);
});

interface Case<R extends Route = Route> {
  route: R;
  input: () => CallInput<R> | Promise<CallInput<R>>;
  action: AuditAction;
}
const recorded = <R extends Route>(route: R, action: AuditAction, input: Case<R>['input']): Case =>
  ({ route, action, input }) as unknown as Case;
const own = <I extends object>(input: I): I & { bearer: string } => ({ bearer: alice.access, ...input });
const at = <I extends object>(id: string, more?: I) => own({ params: { id }, ...(more as I) });
const invitationId = async (): Promise<string> =>
  (await service.call(listInvitations, own({}))).body.results[0]?.id ?? '';
/** The token of a new invitation. */
async function invited(email: string): Promise<string> {
  await service.call(createInvitation, own({ body: { email, role: 'viewer' } }));
  return invitationTokenFor(service, email);
}
const memberId = async (): Promise<string> =>
  (await service.call(listMembers, own({}))).body.results.find(({ role }) => role !== 'owner')?.person_id ??
  '';
const HOOK = { name: 'Another hook', url: 'https://example.com/?token=hook-query-secret' };
const TEMPLATE = {
  name: 'audited',
  texts: [{ channel: 'sms' as const, locale: 'en', text: 'Code: {code}' }],
};
const PRICE = { credits: 100, price_usd_cents: 200 };

/** In the order of their calls. */
const CASES: Case[] = [
  recorded(createApiKey, 'api_key.create', () => own({ body: { name: 'Audited' } })),
  recorded(updateApiKey, 'api_key.change', () => at(alice.api_key_id, { body: { note: 'Shop' } })),
  recorded(rotateApiKey, 'api_key.rotate', () => at(alice.api_key_id, { body: { valid_days: 1 } })),
  recorded(updateKeyRules, 'api_key.rules', () => own({ body: { live_keys_need_admin: true } })),
  recorded(deleteApiKey, 'api_key.delete', () => at(alice.api_key_id)),
  recorded(createLimit, 'limit.create', () =>
    own({ body: { name: 'audited', max_sends: 5, period_seconds: 60 } }),
  ),
  recorded(updateLimit, 'limit.change', () => at(alice.limit_id, { body: { max_sends: 7 } })),
  recorded(deleteLimit, 'limit.delete', () => at(alice.limit_id)),
  recorded(createConnection, 'connection.create', () => own({ body: { system: 'logto', name: 'Audited' } })),
  recorded(updateConnection, 'connection.change', () =>
    at(alice.connection_id, { body: { name: 'Renamed' } }),
  ),
  recorded(rotateConnection, 'connection.rotate', () =>
    at(alice.connection_id, { body: { valid_hours: 1 } }),
  ),
  recorded(deleteConnection, 'connection.delete', () => at(alice.connection_id)),
  recorded(cancelVerification, 'verification.cancel', () => at(alice.open_otp_id)),
  recorded(createTemplate, 'template.create', () => own({ body: TEMPLATE })),
  recorded(updateTemplate, 'template.change', () =>
    at(alice.template_id, { body: { ...TEMPLATE, name: 'changed' } }),
  ),
  recorded(deleteTemplate, 'template.delete', () => at(alice.template_id)),
  recorded(updatePlans, 'plans.change', () => own({ body: { default: { channels: ['sms'] } } })),
  recorded(createSuppression, 'suppression.create', () =>
    own({ body: { recipient: 'audited@example.com' } }),
  ),
  recorded(deleteSuppression, 'suppression.delete', () => at(alice.suppression_id)),
  recorded(createWebhook, 'webhook.create', () => own({ body: { ...HOOK, secret: 'a-secret-of-my-own-0' } })),
  recorded(updateWebhook, 'webhook.change', () => at(alice.webhook_id, { body: HOOK })),
  recorded(rotateWebhookSecret, 'webhook.rotate_secret', () => at(alice.webhook_id)),
  recorded(deleteWebhook, 'webhook.delete', () => at(alice.webhook_id)),
  recorded(updateSpend, 'spend_limit.change', () =>
    own({ body: { daily_credit_limit: 500, monthly_credit_limit: null } }),
  ),
  recorded(updateProtection, 'protection.change', () =>
    own({ body: { rules: { prefix_velocity: { mode: 'off' } } } }),
  ),
  recorded(allowDestination, 'protection.allow', () => own({ body: { kind: 'prefix', value: '+1415555' } })),
  recorded(denyDestination, 'protection.change', () => own({ body: { kind: 'country', value: 'CA' } })),
  recorded(removeListEntry, 'protection.change', () =>
    own({ body: { list: 'deny', kind: 'country', value: 'CA' } }),
  ),
  recorded(importKnownRecipients, 'known.import', () =>
    own({ body: { recipients: [{ recipient: '+14155550177' }, { recipient: 'known@example.com' }] } }),
  ),
  recorded(removeKnownRecipient, 'known.remove', () => own({ body: { recipient: '+14155550177' } })),
  recorded(deleteKnownRecipients, 'known.delete', () => own({})),
  recorded(unblockDestination, 'protection.unblock', () => ({
    body: {
      token: unblockToken(
        service.app,
        { account_id: alice.account_id, kind: 'country', value: 'US' },
        service.app.clock.now(),
      ),
    },
  })),
  recorded(createIntent, 'purchase.start', () => own({ body: { ...PRICE, save_payment_method: false } })),
  recorded(confirmSandboxPayment, 'purchase.complete', () =>
    own({ body: { client_secret: alice.client_secret, card: TEST_CARD } }),
  ),
  recorded(createWithSaved, 'purchase.complete', () =>
    own({ body: { ...PRICE, payment_method_id: alice.payment_method_id } }),
  ),
  recorded(createInvitation, 'member.invite', () =>
    own({ body: { email: 'audited@example.com', role: 'viewer' } }),
  ),
  recorded(resendInvitation, 'member.invite_resend', async () => at(await invitationId())),
  recorded(revokeInvitation, 'member.invite_revoke', async () => at(await invitationId())),
  recorded(acceptInvitation, 'member.join', async () => {
    const { access, email } = await person(service, 'Erin');
    return { bearer: access, body: { token: await invited(email) } };
  }),
  recorded(changeRole, 'member.role', async () =>
    own({ params: { person_id: await memberId() }, body: { role: 'support' } }),
  ),
  recorded(removeMember, 'member.remove', async () => own({ params: { person_id: await memberId() } })),
  recorded(leaveAccount, 'member.leave', async () => {
    const { access, email } = await person(service, 'Frank');
    await service.call(acceptInvitation, { bearer: access, body: { token: await invited(email) } });
    return { bearer: access, headers: { 'x-account': alice.account_id } };
  }),
  recorded(renameAccount, 'account.rename', () => own({ body: { name: 'Shop of Alice' } })),
  recorded(transferCredits, 'credits.transfer', async () => {
    const { body } = await service.call(createAccount, { bearer: alice.access, body: { name: 'Second' } });
    return own({ body: { to_account_id: body.id, credits: 1 } });
  }),
  recorded(updateBranding, 'auto_purchase.change', () =>
    own({ body: { auto_purchase_enabled: true, sender_name: 'Another shop' } }),
  ),
  recorded(updateLowBalance, 'settings.change', () => own({ body: { low_balance_threshold: 20 } })),
  recorded(updateAutoPurchase, 'auto_purchase.change', () =>
    own({ body: { auto_purchase_enabled: true, auto_purchase_threshold: 60 } }),
  ),
  recorded(deletePaymentMethod, 'card.remove', () => at(alice.payment_method_id)),
  recorded(updateProfile, 'profile.change', () => own({ body: { first_name: 'Alice' } })),
  recorded(signIn, 'sign_in.succeed', () => ({ body: { email: alice.email, password: alice.password } })),
  recorded(signOut, 'session.end', async () => ({
    body: { refresh: (await anotherSession(service, alice)).refresh },
  })),
  recorded(endSession, 'session.end', async () => {
    await anotherSession(service, alice);
    const { body } = await service.call(listSessions, own({}));
    return own({ params: { id: body.results.find(({ is_current }) => !is_current)?.id ?? '' } });
  }),
  recorded(stepUp, 'step_up.succeed', () => own({ body: { password: alice.password } })),
  recorded(updateTwoFactor, 'two_factor.change', () =>
    own({ body: { two_factor_enabled: true, two_factor_method: 'email', current_password: alice.password } }),
  ),
  recorded(verifyTwoFactor, 'sign_in.succeed', async () => {
    const { email, password } = alice;
    const { body } = await service.call(signIn, { body: { email, password } });
    return { body: { session_token: body.session_token ?? '', code: await codeFor(service, email) } };
  }),
  recorded(changePassword, 'password.change', () => {
    const password = 'A new password of Alice 1';
    secrets.push(password);
    const current_password = alice.password;
    alice = { ...alice, password };
    return own({ body: { current_password, password, confirm_password: password } });
  }),
  recorded(resetPassword, 'password.reset', async () => {
    const { session_token } = (await service.call(forgotPassword, { body: { email: alice.email } })).body;
    const [code, password] = [await codeFor(service, alice.email), 'A new password of Alice 2'];
    return { body: { session_token, code, password, confirm_password: password } };
  }),
  recorded(resetPasswordByLink, 'password.reset', async () => {
    await service.clock.advance(60_000);
    await service.call(forgotPassword, { body: { email: alice.email } });
    const password = 'A new password of Alice 3';
    secrets.push(password);
    return {
      body: { token: await linkTokenFor(service, alice.email), password, confirm_password: password },
    };
  }),
];

const entries = () =>
  service.app.db.rows<{ action: string; ip_address: string | null; text: string }>(
    `select action, host(ip_address) as ip_address, row_to_json(e)::text as text from audit_entries e
     where account_id = $1 order by id`,
    [alice.account_id],
  );

test('every route that changes data adds an audit entry or is listed with a reason', () => {
  const tested = new Set([
    ...CASES.map(({ route }) => route.name),
    ...Object.keys(CALLED_ELSEWHERE),
    deleteMe.name,
  ]);
  const changing = routes.filter(({ method }) => method !== 'GET').map(({ name }) => name);
  const withoutEntry = Object.values(WITHOUT_ENTRY).flat();
  const missing = changing.filter((name) => !tested.has(name) && !withoutEntry.includes(name));
  expect(missing).toEqual([]);
  expect(Object.keys(CALLED_ELSEWHERE).filter((name) => !changing.includes(name))).toEqual([]);
  expect(withoutEntry.filter((name) => !changing.includes(name) || tested.has(name))).toEqual([]);
});

const notices = async () => (await service.app.db.one<{ n: number }>('select count(*) as n from notices')).n;

test.each(CASES.map((one) => [one.route.name, one.action, one] as const))(
  '%s is audited as %s, with the network address',
  async (_, action, { route, input }) => {
    const given = await input();
    const before = (await entries()).length;
    const noticesBefore = await notices();
    using woken = vi.spyOn(service.app.wakeups, 'notify');
    const { status, ...answer } = await service.call(route, given);
    const body: Record<string, unknown> = answer.body ?? {};
    expect({ status, body }).toMatchObject({ status: route.status });
    for (const secret of [body.key, body.secret, body.access, body.refresh])
      if (typeof secret === 'string') secrets.push(secret);
    const added = (await entries()).slice(before);
    expect(added.map((entry) => entry.action)).toContain(action);
    // An event of the card provider also completes a purchase, so that entry has no address.
    const withAddress = added.filter((entry) => entry.action !== 'purchase.complete');
    expect(withAddress.every(({ ip_address }) => ip_address === '127.0.0.1')).toBe(true);
    // Otherwise a notice waits until the queue is polled.
    if ((await notices()) > noticesBefore) expect(woken).toHaveBeenCalledWith('notices');
  },
);

test('a refused change adds no audit entry', async () => {
  const bob = await person(service, 'Bob');
  const { body } = await service.call(listAuditEntries, { bearer: bob.access });
  const before = body.count;
  await service.call(createApiKey, { bearer: bob.access, body: { name: '' } });
  await service.call(deleteApiKey, { bearer: bob.access, params: { id: alice.api_key_id } });
  await service.call(updateWebhook, { bearer: bob.access, params: { id: alice.webhook_id }, body: HOOK });
  expect((await service.call(listAuditEntries, { bearer: bob.access })).body.count).toBe(before);
});

test('using a refresh token twice adds an audit entry', async () => {
  const carol = await person(service, 'Carol');
  await service.call(refreshTokens, { body: { refresh: carol.refresh } });
  await service.clock.advance(60_000);
  await service.call(refreshTokens, { body: { refresh: carol.refresh } });
  const session = await anotherSession(service, carol);
  const { body } = await service.call(listAuditEntries, { bearer: session.access });
  expect(body.results.map(({ action }) => action)).toEqual([
    'sign_in.succeed',
    'session.reuse',
    'sign_in.succeed',
    'account.create',
  ]);
});

test('no audit entry contains a secret', async () => {
  const all = (await entries()).map(({ text }) => text).join('\n');
  expect(secrets.length).toBeGreaterThan(10);
  for (const secret of [...secrets, 'a-secret-of-my-own-0', 'hook-query-secret', TEST_CARD.number])
    expect(all).not.toContain(secret);
});
