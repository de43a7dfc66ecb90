import { createApiKey, deleteApiKey, rotateApiKey, updateKeyRules } from '@sixdigit/contract/api-keys.ts';
import { createConnection, rotateConnection } from '@sixdigit/contract/connections.ts';
import {
  createCarrierSetup,
  listCarrierSetups,
  updateCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { createWebhook, rotateWebhookSecret, testWebhook } from '@sixdigit/contract/webhooks.ts';
import type { LivelyFacts, LivelyKey } from './facts.ts';
import { DAY, HOUR, MINUTE, type Teller } from './teller.ts';

/** Keys of both modes with all kinds of restrictions; rotated, expired and deleted ones. */
export async function createKeys({ service, must, bearer }: Teller): Promise<LivelyFacts['keys']> {
  const make = async (
    by: 'alice' | 'adam' | 'dora' | 'bob',
    body: Record<string, unknown>,
  ): Promise<LivelyKey> => {
    await service.clock.advance(3 * MINUTE);
    const { id, name, key } = await must(createApiKey, { bearer: await bearer(by), body });
    return { id, name, key };
  };
  const keys = {
    live: await make('alice', { name: 'Web app – „Größe“' }),
    restricted: await make('adam', {
      name: 'Konto & "Zahlungen" <b>',
      scopes: ['otp:send', 'otp:read'],
      allowed_networks: ['127.0.0.0/8', '2001:db8::/32'],
      daily_credit_limit: 120,
      note: 'Two lines,\nand a "quote" & more',
      expires_at: '2090-01-31T00:00:00Z',
    }),
    ownCode: await make('dora', {
      name: 'Own códes, №2',
      scopes: ['otp:send', 'otp:verify', 'otp:read', 'otp:own_code', 'events:read'],
    }),
    rotated: await make('dora', { name: "Rotated; it's new" }),
    test: await make('dora', { name: 'Tests 🧪, staging', mode: 'test' }),
    expired: await make('alice', {
      name: 'Expired % key',
      expires_at: new Date(service.app.clock.now().getTime() + HOUR).toISOString(),
    }),
    deleted: await make('adam', { name: 'Deleted \\ key' }),
    bobs: await make('bob', { name: 'ボブ main' }),
    bobsTest: await make('bob', { name: 'ボブ tests', mode: 'test' }),
  };
  const params = { id: keys.rotated.id };
  const again = await must(rotateApiKey, { bearer: await bearer('alice'), params, body: { valid_days: 7 } });
  keys.rotated.key = again.key;
  await must(updateKeyRules, { bearer: await bearer('alice'), body: { live_keys_need_admin: true } });
  return keys;
}

export async function deleteKey({ must, bearer }: Teller, { id }: LivelyKey): Promise<void> {
  await must(deleteApiKey, { bearer: await bearer('adam'), params: { id } });
}

export async function createConnections(teller: Teller): Promise<LivelyFacts['connections']> {
  const { must } = teller;
  const bearer = await teller.bearer('alice');
  const make = async (body: Parameters<typeof must<typeof createConnection>>[1]) => {
    const { id, secret } = await must(createConnection, body);
    return { id, secret };
  };
  const connections = {
    webhook: await make({
      bearer,
      body: {
        system: 'webhook',
        name: 'Shop "Zürich" & co',
        code_expires_in: 900,
        daily_credit_limit: 90,
        allowed_networks: ['127.0.0.1'],
      },
    }),
    authentik: await make({
      bearer,
      body: {
        system: 'authentik',
        name: 'SSO für Ärzte',
        language: 'de',
        message: 'SSO: {code} <nur heute>',
        code_pattern: 'PIN: {code}',
        code_expires_in: 180,
      },
    }),
    testing: await make({ bearer, body: { system: 'supabase', name: 'Supabase, tests', mode: 'test' } }),
  };
  const params = { id: connections.authentik.id };
  const rotated = await must(rotateConnection, { bearer, params, body: { valid_hours: 48 } });
  connections.authentik.secret = rotated.secret;
  return connections;
}

/** Endpoints that respond, fail, and failed until their messages were replayed. */
export async function createEndpoints(teller: Teller): Promise<LivelyFacts['endpoints']> {
  const { must, receiver } = teller;
  const make = async (by: 'alice' | 'bob', name: string, path: string, more: object = {}) => {
    const body = { name, url: receiver.at(path), ...more };
    const { id, secret } = await must(createWebhook, { bearer: await teller.bearer(by), body });
    return { id, secret };
  };
  const endpoints = {
    working: await make('alice', 'Orders & "returns"', '/working?shop=1&lang=de'),
    failing: await make('alice', 'Lager <alt>', '/failing', { send_on_verified: false, send_on_sent: false }),
    replayed: await make('alice', 'CRM – größer', '/replayed', { send_on_expired: false }),
    bobs: await make('bob', 'ボブ hooks', '/bobs', { send_on_delivered: false }),
  };
  const bearer = await teller.bearer('alice');
  const params = { id: endpoints.working.id };
  endpoints.working.secret = (await must(rotateWebhookSecret, { bearer, params })).secret;
  await must(testWebhook, { bearer, params });
  await must(testWebhook, { bearer, params: { id: endpoints.failing.id } });
  return endpoints;
}

const CARRIERS = [
  { name: 'gateway-eu', channels: ['sms', 'voice'] },
  { name: 'gateway-us', channels: ['email'] },
] as const;

export async function addCarriers({ must, bearer, gateway, service }: Teller): Promise<string[]> {
  for (const { name, channels } of CARRIERS)
    await must(createCarrierSetup, {
      bearer: await bearer('alice'),
      body: {
        name,
        channels: [...channels],
        kind: 'http',
        url: gateway.url,
        secret: gateway.secret,
        reason: 'Our "own" carriers & more',
      },
    });
  await service.drain();
  return CARRIERS.map(({ name }) => name);
}

/** Afterwards, messages come to the inbox of the sandbox. */
export async function turnCarriersOff({ must, bearer, gateway, service }: Teller): Promise<void> {
  const { setups } = await must(listCarrierSetups, { bearer: await bearer('alice') });
  for (const { name, channels, version, source } of setups)
    if (source === 'console')
      await must(updateCarrierSetup, {
        bearer: await bearer('alice'),
        params: { name },
        body: { url: gateway.url, channels, version, is_enabled: false, reason: 'Not needed' },
      });
  await service.drain();
  await service.clock.advance(DAY / 24);
}
