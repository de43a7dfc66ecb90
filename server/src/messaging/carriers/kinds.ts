import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  type CarrierKind,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Carrier } from './carrier.ts';
import type { CarrierSetup, Kind } from './kind.ts';
import { http } from './kinds/http/http.ts';
import { recordKind } from './kinds/record/record.ts';
import { smtp } from './kinds/smtp/smtp.ts';
import { twilio } from './kinds/twilio/twilio.ts';

/** The kinds that are programs. Every other kind of the contract is a record. */
export const KINDS = { smtp, twilio, http } satisfies Partial<Record<CarrierKind, Kind>>;

const ALL = Object.fromEntries(
  CARRIER_KINDS.map((kind) => [kind, kind in KINDS ? KINDS[kind as keyof typeof KINDS] : recordKind(kind)]),
) as Record<CarrierKind, Kind>;

export const kindOf = (kind: CarrierKind): Kind => ALL[kind];

export function createCarrier(kind: CarrierKind, setup: CarrierSetup): Carrier {
  const { create, callbacks } = kindOf(kind);
  const { reports } = CARRIER_KIND_FACTS[kind];
  return {
    ...create(setup),
    reports,
    ...(callbacks && { callbacks: { ...callbacks, values: setup.values } }),
  };
}
