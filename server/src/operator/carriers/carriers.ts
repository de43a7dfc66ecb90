/** Message routing: pauses, order and weights per channel. All of it is one setting, so that its history is complete. */

import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import {
  CarrierRouting,
  CountryRouting,
  type OperatorCarriers,
  type OperatorChannel,
  type removeCountryRoute,
  type testCarrier,
  type updateCarrier,
} from '@sixdigit/contract/operator/carriers.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { reserveCarrierTest } from '../../accounts/accounts.ts';
import {
  beginTest,
  type Carrier,
  type Carriers,
  endTest,
  mailSenderName,
  TEST_ACCOUNT,
} from '../../messaging/carriers/carriers.ts';
import { hasOptedOut } from '../../messaging/opt-outs/opt-outs.ts';
import { reportTo, selectQueues } from '../../otp/otp.ts';
import { countryProblem } from '../../platform/addresses/phone.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import {
  type LiveSettings,
  lockSetting,
  newestChange,
  storeSetting,
} from '../../settings/live-settings/live-settings.ts';
import { recordAction } from '../audit.ts';
import { selectCarrierErrors, selectCarrierHealth } from '../service-counts.ts';
import { recipientOf } from './opt-outs.ts';

export type CarriersApp = Platform & { carriers: Carriers; live: LiveSettings };

export const ROUTING = 'carrier_routing';

export const routingOf = (live: Pick<LiveSettings, 'value'>): CarrierRouting =>
  parseRouting(live.value(ROUTING));

export const parseRouting = (stored: unknown): CarrierRouting =>
  CarrierRouting.safeParse(stored ?? {}).data ?? {};

export const COUNTRY_ROUTING = 'country_routing';

export const countryRoutingOf = (live: Pick<LiveSettings, 'value'>): CountryRouting =>
  parseCountries(live.value(COUNTRY_ROUTING));

export const parseCountries = (stored: unknown): CountryRouting =>
  CountryRouting.safeParse(stored ?? {}).data ?? {};

export async function carriersOf(app: CarriersApp): Promise<OperatorCarriers> {
  await app.live.refresh();
  const routing = routingOf(app.live);
  const byCountry = Object.entries(countryRoutingOf(app.live)).toSorted(([a], [b]) => a.localeCompare(b));
  const [health, queues, errors] = await Promise.all([
    selectCarrierHealth(app.db),
    selectQueues(app.db),
    selectCarrierErrors(app.db),
  ]);
  const channels = CHANNELS.map((channel): OperatorChannel => {
    const { waiting = 0, oldest_seconds = 0 } = queues.find((queue) => queue.channel === channel) ?? {};
    const carriers = placed(app, routing, channel).map((place, n) => ({
      ...place,
      position: n + 1,
      ...(health.find((one) => one.subject === `${place.name}/${channel}`)?.counts ?? NO_ANSWERS),
    }));
    const countries = byCountry.flatMap(([country, own]) =>
      own[channel] ? [{ country, carriers: placed(app, own, channel) }] : [],
    );
    return { channel, waiting, oldest_seconds, carriers, countries };
  });
  return { channels, errors };
}

const NO_ANSWERS = { accepted: 0, refused: 0, uncertain: 0, average_ms: null, open_breakers: 0 };

/** Every carrier of the channel in order, with default values for those that no operator has changed. */
function placed({ carriers }: Pick<CarriersApp, 'carriers'>, routing: CarrierRouting, channel: Channel) {
  const chosen = routing[channel] ?? [];
  const place = (name: string) => {
    const at = chosen.findIndex((one) => one.name === name);
    return at < 0 ? chosen.length : at;
  };
  return carriers
    .forChannel(channel)
    .map(({ name }) => chosen.find((one) => one.name === name) ?? { name, is_paused: false, weight: null })
    .toSorted((a, b) => place(a.name) - place(b.name));
}

/** Throws `not_found` if the carrier does not serve the channel. */
export async function changeCarrier(
  app: CarriersApp,
  by: OperatorCaller,
  name: string,
  { channel, country, is_paused, weight, position, reason }: Parsed<typeof updateCarrier, 'body'>,
): Promise<OperatorCarriers> {
  carrierOf(app, channel, name);
  if (country !== undefined) requireCountry(channel, country);
  await app.db.transaction(async (tx) => {
    const routing = parseRouting(await lockSetting(tx, ROUTING));
    const countries = parseCountries((await newestChange(tx, COUNTRY_ROUTING))?.value);
    const own = country === undefined ? undefined : countries[country];
    const before = placed(app, own?.[channel] ? own : routing, channel);
    const others = before.filter((one) => one.name !== name);
    const was = before.find((one) => one.name === name) ?? { name, is_paused: false, weight: null };
    const now = {
      name,
      is_paused: is_paused ?? was.is_paused,
      weight: weight === undefined ? was.weight : weight,
    };
    const after = others.toSpliced(position === undefined ? before.indexOf(was) : position - 1, 0, now);
    await storeSetting(tx, {
      id: app.random.uuid(),
      ...(country === undefined
        ? { name: ROUTING, value: { ...routing, [channel]: after } }
        : { name: COUNTRY_ROUTING, value: { ...countries, [country]: { ...own, [channel]: after } } }),
      operator_id: by.person_id,
    });
    await recordAction(tx, app, by, {
      action: 'carrier.update',
      subject: `${name} for ${factsOf(channel).label}${country === undefined ? '' : ` to ${country}`}`,
      reason,
      before,
      after,
    });
  });
  return followed(app);
}

async function followed(app: CarriersApp): Promise<OperatorCarriers> {
  await app.live.refresh();
  app.wakeups.notify('settings');
  app.wakeups.notify('deliveries');
  return carriersOf(app);
}

function requireCountry(channel: Channel, country: string): void {
  if (factsOf(channel).recipient !== 'phone')
    throw new FieldErrors({ country: ['An email has no country.'] });
  const problem = countryProblem(country);
  if (problem) throw new FieldErrors({ country: [problem] });
}

/** Throws `not_found` if no routes are set for the country. */
export async function removeRoute(
  app: CarriersApp,
  by: OperatorCaller,
  { channel, country, reason }: Parsed<typeof removeCountryRoute, 'body'>,
): Promise<OperatorCarriers> {
  await app.db.transaction(async (tx) => {
    const { [country]: own = {}, ...others } = parseCountries(await lockSetting(tx, COUNTRY_ROUTING));
    const { [channel]: before, ...rest } = own;
    if (!before) throw new Failure('not_found');
    await storeSetting(tx, {
      id: app.random.uuid(),
      name: COUNTRY_ROUTING,
      value: Object.keys(rest).length > 0 ? { ...others, [country]: rest } : others,
      operator_id: by.person_id,
    });
    await recordAction(tx, app, by, {
      action: 'carrier.remove_route',
      subject: `${factsOf(channel).label} to ${country}`,
      reason,
      before,
      after: null,
    });
  });
  return followed(app);
}

/** Any carrier that serves the channel, also one that is turned off. Throws `not_found`. */
function testedCarrier({ carriers }: Pick<CarriersApp, 'carriers'>, channel: Channel, name: string): Carrier {
  const carrier = carriers.find(name);
  if (!carrier?.channels.includes(channel)) throw new Failure('not_found');
  return carrier;
}

function carrierOf({ carriers }: Pick<CarriersApp, 'carriers'>, channel: Channel, name: string): Carrier {
  const carrier = carriers.forChannel(channel).find((one) => one.name === name);
  if (!carrier) throw new Failure('not_found');
  return carrier;
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * Dispatches a test message directly to one carrier, bypassing the queue and the breaker. Writes the audit entry before the
 * dispatch.
 */
export async function sendTestMessage(
  app: CarriersApp,
  by: OperatorCaller,
  name: string,
  { channel, recipient: given }: Parsed<typeof testCarrier, 'body'>,
): Promise<Reply<typeof testCarrier>> {
  const carrier = testedCarrier(app, channel, name);
  const recipient = recipientOf(app, channel, given);
  if (factsOf(channel).obeysOptOut && (await hasOptedOut(app.db, app, recipient)))
    throw new FieldErrors({ recipient: ['This number has opted out.'] });
  await reserveCarrierTest(app, by.person_id);
  const id = app.random.uuid();
  await app.db.transaction(async (tx) => {
    await beginTest(tx, name, { id, channel });
    await recordAction(tx, app, by, {
      action: 'carrier.test',
      subject: `${name} for ${factsOf(channel).label}`,
      after: { recipient: maskedRecipient(recipient) },
    });
  });
  const text = `This is a test message from ${app.config.brandName}.`;
  const startedMs = monotonicMs();
  const outcome = await carrier.dispatch(
    {
      id,
      channel,
      recipient,
      text,
      // A fixed text is nothing without a code.
      code: factsOf(channel).format === 'fixed' ? '000000' : '',
      is_test: true,
      ...(factsOf(channel).format === 'mail'
        ? { subject: `Test of ${app.config.brandName}`, html: `<p>${text}</p>` }
        : {}),
      sender_name: mailSenderName(app.config),
      expires_at: new Date(app.clock.now().getTime() + 60_000),
      ...reportTo(app, { id, account_id: TEST_ACCOUNT }, carrier),
    },
    NEVER_ABORTED,
  );
  const ms = Math.round(monotonicMs() - startedMs);
  await endTest(app.db, name, { id, outcome: outcome.kind });
  const noRefusal = { reason: null, detail: null, words: null };
  if (outcome.kind === 'accepted') {
    const { provider_message_id } = outcome;
    return { outcome: 'accepted', ...noRefusal, provider_message_id, ms };
  }
  const { kind, reason, detail, words = null } = outcome;
  return { outcome: kind, reason, detail, words, provider_message_id: null, ms };
}
