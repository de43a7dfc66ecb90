import { factsOf } from '@sixdigit/contract/channels.ts';
import { getPlans, type Plans, type PlansBody, updatePlans } from '@sixdigit/contract/plans.ts';
import type { z } from 'zod';
import { byOwner, changesBetween, record } from '../../audit/audit.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import { type Server, serve, type UserCaller } from '../../platform/http/serve.ts';
import type { OtpApp } from '../call.ts';
import { builtInPlan } from './plan.ts';
import { type AccountPlans, findAccountPlans, writeAccountPlans } from './queries.ts';

type App = Pick<OtpApp, 'db' | 'random' | 'carriers'>;

export function planRoutes(server: Server, app: App): void {
  serve(server, getPlans, async ({ caller }) =>
    shown(app, await findAccountPlans(app.db, caller.account_id)),
  );
  serve(server, updatePlans, ({ caller, body }) => changePlans(app, caller, body));
}

const NONE: AccountPlans = { default: null, countries: [] };

const shown = (app: App, plans: AccountPlans = NONE): Plans => ({
  ...plans,
  built_in: builtInPlan(app, 'phone'),
});

function requireAvailable(
  { carriers }: App,
  field: keyof AccountPlans,
  plans: readonly AccountPlans['countries'][number]['channels'][],
): void {
  const missing = [...new Set(plans.flat())].filter((one) => !carriers.has(one));
  if (missing.length === 0) return;
  throw new FieldErrors({
    [field]: missing.map((one) => `${factsOf(one).label} is not available on this service.`),
  });
}

async function changePlans(app: App, caller: UserCaller, body: z.output<typeof PlansBody>): Promise<Plans> {
  requireAvailable(app, 'default', body.default ? [body.default.channels] : []);
  requireAvailable(
    app,
    'countries',
    body.countries.map(({ channels }) => channels),
  );
  return app.db.transaction(async (tx) => {
    const { account_id } = caller;
    const before = (await findAccountPlans(tx, account_id)) ?? NONE;
    const changes = changed(textsOf(before), textsOf(body));
    if (!changes) return shown(app, before);
    await writeAccountPlans(tx, account_id, body);
    await record(tx, app, { ...byOwner(caller), action: 'plans.change', ...changes });
    return shown(app, body);
  });
}

const changed = (before: Record<string, string>, after: Record<string, string>) =>
  changesBetween(before, after, [...new Set([...Object.keys(before), ...Object.keys(after)])]);

/** A plan per country as a text, such as `sms, voice after 60 s`. */
const textsOf = ({ default: others, countries }: AccountPlans): Record<string, string> =>
  Object.fromEntries(
    [{ country: 'default', ...others }, ...countries].flatMap(({ country, channels, wait_seconds }) =>
      channels ? [[country, `${channels.join(', ')} after ${wait_seconds} s`]] : [],
    ),
  );
