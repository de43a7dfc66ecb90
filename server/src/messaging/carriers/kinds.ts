import type { CarrierKind } from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Carrier } from './carrier.ts';
import type { CarrierSetup, Kind } from './kind.ts';
import { http } from './kinds/http/http.ts';
import { smtp } from './kinds/smtp/smtp.ts';
import { twilio } from './kinds/twilio/twilio.ts';

/** Every kind of the contract. */
export const KINDS = { smtp, twilio, http } satisfies Record<CarrierKind, Kind>;

export const kindOf = (kind: CarrierKind): Kind => KINDS[kind];

export function createCarrier(kind: CarrierKind, setup: CarrierSetup): Carrier {
  const { create, callbacks } = kindOf(kind);
  return { ...create(setup), ...(callbacks && { callbacks: { ...callbacks, values: setup.values } }) };
}
