import type { CarrierKind, CarrierSetup } from '@sixdigit/contract/operator/carrier-setups.ts';
import { apiBase, type Config } from '../../platform/config.ts';
import type { FieldValues } from './carrier.ts';
import { recordOf, withDefaults } from './kinds/record/record.ts';
import { kindOf } from './kinds.ts';
import { reportAddress } from './post.ts';

/** Why a carrier would report no deliveries. A company on the internet cannot reach an address of this network. */
export function reportsProblem(
  config: Config,
  kind: CarrierKind,
  values: FieldValues,
): CarrierSetup['reports_problem'] {
  const record = recordOf(kind, values);
  if (!kindOf(kind).callbacks || (record && !record.reports)) return 'no_reports';
  const { api_url, url } = withDefaults(kind, values);
  const target = api_url ?? url ?? record?.send.url ?? '';
  const isReached = reportAddress(apiBase(config), URL.canParse(target) ? target : 'https://example.com');
  return isReached ? null : 'private_address';
}
