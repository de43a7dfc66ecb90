import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { createInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { createApiKey, listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import { addMessageDomain } from '@sixdigit/contract/message-links.ts';
import { getOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import {
  calculatePrice,
  createIntent,
  listPaymentMethods,
  listTransactions,
} from '@sixdigit/contract/payments.ts';
import { API_SCOPES, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { createWebhook, listWebhooks } from '@sixdigit/contract/webhooks.ts';
import { type Attack, paced, until } from './attack.ts';
import { invitationToken } from './members.ts';
import type { Answer, CallInput, Target, Tenant } from './target.ts';

/** The ids of one account’s rows. */
interface Belongings {
  otp_id: string;
  code: string;
  recipient: string;
  session_id: string;
  passkey_id: string;
  message_domain_id: string;
  api_key_id: string;
  webhook_id: string;
  connection_id: string;
  message_id: string;
  payment_method_id: string;
  payment_intent_id: string;
  purchase_id: string;
  person_id: string;
  invitation_id: string;
  invitation_token: string;
}

const CARD = '4242424242424242';
const HOOK = { name: 'Hook of Alice', url: 'https://hook.invalid/' };

const firstId = (rows: unknown): string => String((rows as { id: string }[])[0]?.id);

async function untilFound<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 20_000; performance.now() < end; ) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Timeout: ${what}`);
}

/** Creates one row of every kind, over HTTP unless that needs a device. */
async function belongingsOf(target: Target, { bearer, key, account_id }: Tenant): Promise<Belongings> {
  const call = (route: Route, input: CallInput) => paced(() => target.call(route, input));
  const hook = await call(createWebhook, { bearer, body: HOOK });
  const made = await call(createApiKey, { bearer, body: { name: 'Key of Alice' } });
  const connection = await call(createConnection, {
    bearer,
    body: { system: 'logto', name: 'Logto of Alice' },
  });
  const domain = await call(addMessageDomain, { bearer, body: { domain: 'alice.example.com' } });
  const invited = 'invited.by.alice@people.example';
  const invitation = await call(createInvitation, { bearer, body: { email: invited, role: 'viewer' } });
  const passkey = await target.db.one<{ id: string }>(
    `insert into passkeys (id, account_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
     values (gen_random_uuid(), $1, '\\x01', '\\x02', 0, '{}', 'Laptop of Alice', false, clock_now()) returning id`,
    [account_id],
  );
  const recipient = target.phone();
  const sent = await call(sendOtp, { apiKey: key, body: { channel: 'sms', recipient } });
  const { code, id: otp_id } = await until('the code', () =>
    target.carrier.messages.find(({ id }) => id === sent.body.otp_id),
  );
  const quoted = await call(calculatePrice, { bearer, body: { credits: 100 } });
  const order = { credits: 100, price_usd_cents: quoted.body.price_usd_cents, save_payment_method: true };
  const client_secret = String((await call(createIntent, { bearer, body: order })).body.client_secret);
  await target.stripe.browser.confirmPayment(client_secret, CARD);
  const purchase_id = await untilFound('the purchase', async () => {
    const { body } = await call(listTransactions, { bearer, query: {} });
    return (body.results as { id: string; has_receipt: boolean }[]).find(({ has_receipt }) => has_receipt)
      ?.id;
  });
  const { message_id } = await untilFound('the webhook message', async () => {
    const [row] = await target.db.rows<{ message_id: string }>(
      'select id as message_id from webhook_messages where account_id = $1 limit 1',
      [account_id],
    );
    return row;
  });
  return {
    otp_id,
    code,
    recipient,
    session_id: firstId((await call(listSessions, { bearer })).body.results),
    passkey_id: passkey.id,
    message_domain_id: String(domain.body.id),
    api_key_id: String(made.body.id),
    webhook_id: String(hook.body.id),
    connection_id: String(connection.body.id),
    message_id,
    payment_method_id: firstId((await call(listPaymentMethods, { bearer })).body.payment_methods),
    payment_intent_id: client_secret.split('_secret_')[0] ?? '',
    purchase_id,
    person_id: account_id,
    invitation_id: String(invitation.body.id),
    invitation_token: invitationToken(await target.mail.waitForMailTo(invited)),
  };
}

/** Ids of the same kinds that do not exist. */
const unknownIds = (own: Belongings, n: number): Belongings => {
  const id = `0199e0a0-0000-7000-8000-00000000000${n}`;
  return {
    ...own,
    otp_id: id,
    session_id: id,
    passkey_id: id,
    message_domain_id: id,
    api_key_id: id,
    webhook_id: id,
    connection_id: id,
    message_id: id,
    purchase_id: id,
    person_id: id,
    invitation_id: id,
    invitation_token: 'unknown'.repeat(6),
    payment_method_id: 'pm_unknownunknownunknown',
    payment_intent_id: 'pi_unknownunknownunknown',
  };
};

/** The ids in each route's path. If a route with a parameter is missing here, the attack fails. */
const NAMED: Record<string, (whose: Belongings) => CallInput> = {
  getOtp: ({ otp_id }) => ({ params: { otp_id } }),
  cancelOtp: ({ otp_id }) => ({ params: { otp_id } }),
  reportOutcome: ({ otp_id }) => ({ params: { otp_id }, body: { verified: true } }),
  verifyOtp: ({ otp_id, code }) => ({ body: { otp_id, code } }),
  sendTestCode: ({ api_key_id }) => ({
    body: { api_key: api_key_id, channel: 'email', recipient: 'somebody@example.com' },
  }),
  verifyTestCode: ({ api_key_id, otp_id, code }) => ({ body: { api_key: api_key_id, otp_id, code } }),
  updateConnection: ({ connection_id }) => ({ params: { id: connection_id }, body: { name: 'Taken over' } }),
  rotateConnection: ({ connection_id }) => ({ params: { id: connection_id }, body: { valid_hours: 0 } }),
  testConnection: ({ connection_id }) => ({ params: { id: connection_id }, body: {} }),
  deleteConnection: ({ connection_id }) => ({ params: { id: connection_id } }),
  getVerification: ({ otp_id }) => ({ params: { id: otp_id } }),
  listVerificationWebhooks: ({ otp_id }) => ({ params: { id: otp_id } }),
  cancelVerification: ({ otp_id }) => ({ params: { id: otp_id } }),
  sendVerificationAgain: ({ otp_id }) => ({ params: { id: otp_id } }),
  endSession: ({ session_id }) => ({ params: { id: session_id } }),
  renamePasskey: ({ passkey_id }) => ({ params: { id: passkey_id }, body: { name: 'Taken over' } }),
  removePasskey: ({ passkey_id }) => ({ params: { id: passkey_id } }),
  verifyMessageDomain: ({ message_domain_id }) => ({ params: { id: message_domain_id } }),
  removeMessageDomain: ({ message_domain_id }) => ({ params: { id: message_domain_id } }),
  changeRole: ({ person_id }) => ({ params: { person_id }, body: { role: 'viewer' } }),
  removeMember: ({ person_id }) => ({ params: { person_id } }),
  resendInvitation: ({ invitation_id }) => ({ params: { id: invitation_id } }),
  revokeInvitation: ({ invitation_id }) => ({ params: { id: invitation_id } }),
  acceptInvitation: ({ invitation_token }) => ({ body: { token: invitation_token } }),
  updateApiKey: ({ api_key_id }) => ({ params: { id: api_key_id }, body: { name: 'Taken over' } }),
  rotateApiKey: ({ api_key_id }) => ({ params: { id: api_key_id }, body: { valid_days: 0 } }),
  deleteApiKey: ({ api_key_id }) => ({ params: { id: api_key_id } }),
  updateWebhook: ({ webhook_id }) => ({
    params: { id: webhook_id },
    body: { name: 'Taken over', url: 'https://evil.invalid/' },
  }),
  deleteWebhook: ({ webhook_id }) => ({ params: { id: webhook_id } }),
  testWebhook: ({ webhook_id }) => ({ params: { id: webhook_id } }),
  listWebhookAttempts: ({ webhook_id }) => ({ params: { id: webhook_id } }),
  listWebhookMessages: ({ webhook_id }) => ({ params: { id: webhook_id } }),
  exportWebhookAttempts: ({ webhook_id }) => ({ params: { id: webhook_id } }),
  getWebhookAttempt: ({ webhook_id, message_id }) => ({ params: { id: webhook_id, attempt_id: message_id } }),
  replayFailedWebhooks: ({ webhook_id }) => ({
    params: { id: webhook_id },
    body: { since: '2026-01-01T00:00:00Z' },
  }),
  getWebhookQueue: ({ webhook_id }) => ({ params: { id: webhook_id } }),
  replayWebhookMessage: ({ webhook_id, message_id }) => ({ params: { id: webhook_id, message_id } }),
  rotateWebhookSecret: ({ webhook_id }) => ({ params: { id: webhook_id } }),
  deletePaymentMethod: ({ payment_method_id }) => ({ params: { id: payment_method_id } }),
  getReceipt: ({ purchase_id }) => ({ params: { id: purchase_id } }),
  createWithSaved: ({ payment_method_id }) => ({
    body: { credits: 100, price_usd_cents: 200, payment_method_id },
  }),
  confirmPayment: ({ payment_intent_id }) => ({ body: { payment_intent_id } }),
};

/** The responses to Alice's calls with her own ids. */
async function ownView(target: Target, { bearer, key }: Tenant, { otp_id }: Belongings): Promise<string> {
  const views = [
    await paced(() => target.call(getOtp, { apiKey: key, params: { otp_id } })),
    await paced(() => target.call(listApiKeys, { bearer })),
    await paced(() => target.call(listSessions, { bearer })),
    await paced(() => target.call(listPaymentMethods, { bearer })),
    await paced(() => target.call(getMe, { bearer })),
    await paced(() => target.call(listWebhooks, { bearer })),
  ];
  const isCounter = /^(last_\w+|total_sent|consecutive_failures)$/;
  return JSON.stringify(views, (name, value) =>
    isCounter.test(name) || name === 'headers' ? undefined : value,
  );
}

export const otherAccounts: Attack[] = [
  {
    name: "another account's ids on every route",
    promise: 'same responses as for ids that do not exist; nothing changes or is revealed',
    async run(target) {
      const [alice, bob] = [await target.tenant(), await target.tenant()];
      await target.db.run('update api_keys set scopes = $1', [[...API_SCOPES]]);
      const hers = await belongingsOf(target, alice);
      const before = await ownView(target, alice, hers);
      const asBob = (route: Route, input: CallInput): Promise<Answer> =>
        paced(() =>
          target.call(route, {
            ...input,
            ...(route.auth === 'api_key' ? { apiKey: bob.key } : { bearer: bob.bearer }),
          }),
        );
      const wrong: string[] = [];
      let tried = 0;
      for (const route of routes.filter(
        ({ auth, stream }) => auth !== 'none' && stream !== 'text/event-stream',
      )) {
        const named = NAMED[route.name];
        if (!named && route.path.includes(':')) wrong.push(`${route.name} is not attacked`);
        if (named) {
          const [own, none] = [
            await asBob(route, named(hers)),
            await asBob(route, named(unknownIds(hers, 1))),
          ];
          tried += 1;
          if (own.status !== 404 || JSON.stringify(own.body) !== JSON.stringify(none.body))
            wrong.push(`${route.name}: ${own.status}, unknown ${none.status}`);
        } else if (route.method === 'GET') {
          const filters: Record<string, string>[] = [
            {},
            { search: hers.recipient },
            { api_key: hers.api_key_id },
          ];
          const values = Object.entries(hers).filter(([name]) => name !== 'code');
          for (const query of filters) {
            const shown = JSON.stringify((await asBob(route, { query })).body);
            tried += 1;
            if (values.some(([, value]) => shown.includes(value))) wrong.push(`${route.name} shows hers`);
          }
        }
      }
      if ((await ownView(target, alice, hers)) !== before) wrong.push("Alice's things changed");
      return {
        measured: `${tried} calls on ${Object.keys(NAMED).length} routes with ids and on all lists; ${wrong.join('; ') || 'nothing shown or changed'}`,
        holds: wrong.length === 0,
      };
    },
  },
];
