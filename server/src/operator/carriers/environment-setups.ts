import { CHANNELS } from '@sixdigit/contract/channels.ts';
import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  type CarrierKind,
  type CarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { environmentFields, kindOf } from '../../messaging/carriers/carriers.ts';
import { apiBase } from '../../platform/config.ts';
import type { CarriersApp } from './carriers.ts';

/** The carriers that the environment sets up. The console shows them without their secrets and cannot change them. */
export const environmentSetups = (app: CarriersApp): CarrierSetup[] =>
  CARRIER_KINDS.filter((kind) => app.carriers.find(kind)).map((kind) => setupOf(app, kind));

function setupOf(app: CarriersApp, kind: CarrierKind): CarrierSetup {
  const given = environmentFields(kind, app.config.carriers);
  return {
    name: kind,
    kind,
    source: 'environment',
    channels: CHANNELS.filter((channel) =>
      app.carriers.forChannel(channel).some(({ name }) => name === kind),
    ),
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
    inbound_url: inboundUrl(app, kind, kind),
    problem: null,
    changed_at: null,
    changed_by: null,
  };
}

/** The address for replies such as STOP. */
export const inboundUrl = (
  { config }: Pick<CarriersApp, 'config'>,
  name: string,
  kind: CarrierKind,
): string | null => (kindOf(kind).callbacks?.inbound ? `${apiBase(config)}/carriers/${name}/inbound/` : null);
