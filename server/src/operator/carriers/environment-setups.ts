import { CHANNELS } from '@sixdigit/contract/channels.ts';
import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  type CarrierKind,
  type CarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import {
  addressKey,
  environmentFields,
  type FieldValues,
  kindOf,
  needsAddressKey,
  registersReports,
  reportsProblem,
  senderWarnings,
} from '../../messaging/carriers/carriers.ts';
import { apiBase } from '../../platform/config.ts';
import type { CarriersApp } from './carriers.ts';

/** Without the last test, which is read for all together. */
export type UntestedSetup = Omit<CarrierSetup, 'last_test'>;

/** The carriers that the environment sets up. The console shows them without their secrets and cannot change them. */
export const environmentSetups = (app: CarriersApp): UntestedSetup[] =>
  // A carrier of the console can have the name of another kind.
  CARRIER_KINDS.filter((kind) => kindOf(kind).environment && app.carriers.find(kind)).map((kind) =>
    setupOf(app, kind),
  );

function setupOf(app: CarriersApp, kind: CarrierKind): UntestedSetup {
  const given = environmentFields(kind, app.config.carriers);
  const values: FieldValues = Object.fromEntries(
    CARRIER_KIND_FACTS[kind].fields.map(({ name }) => [name, given(name).value]),
  );
  const channels = CHANNELS.filter((channel) =>
    app.carriers.forChannel(channel).some(({ name }) => name === kind),
  );
  return {
    name: kind,
    kind,
    source: 'environment',
    channels,
    is_enabled: true,
    version: 0,
    fields: CARRIER_KIND_FACTS[kind].fields.map(({ name, isSecret }) => {
      const { setting, value } = given(name);
      return {
        name,
        value: isSecret ? null : (value ?? null),
        is_set: Boolean(value),
        last4: null,
        setting,
      };
    }),
    inbound_url: addressOf(app, { name: kind, kind, values: {} }, 'inbound'),
    report_url: addressOf(app, { name: kind, kind, values }, 'reports'),
    verify_token: null,
    reports_problem: reportsProblem(app.config, kind, values),
    sender_warnings: senderWarnings(app.config, { channels, values }),
    problem: null,
    changed_at: null,
    changed_by: null,
  };
}

/** The address that an operator registers at the company: for replies such as STOP, or for delivery reports. */
export function addressOf(
  app: Pick<CarriersApp, 'config' | 'vault'>,
  { name, kind, values }: { name: string; kind: CarrierKind; values: FieldValues },
  purpose: 'inbound' | 'reports',
): string | null {
  if (purpose === 'reports' && values.bounce_domain)
    return `${apiBase(app.config)}/carriers/${name}/bounces/?key=${addressKey(app, name)}`;
  const inbound = kindOf(kind).callbacks?.inbound;
  const isServed =
    purpose === 'inbound' ? inbound && !inbound.comesWithReports?.(values) : registersReports(kind, values);
  if (!isServed) return null;
  const path = purpose === 'inbound' ? 'inbound' : 'status';
  const key = needsAddressKey(kind, values, purpose) ? `?key=${addressKey(app, name)}` : '';
  return `${apiBase(app.config)}/carriers/${name}/${path}/${key}`;
}
