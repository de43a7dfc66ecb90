import { getFallback, getInsights, getVerificationFigures } from '@sixdigit/contract/insights.ts';
import { countryProblem } from '../platform/addresses/phone.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { fallbackOf } from './fallback.ts';
import { verificationFiguresOf } from './figures.ts';
import { insightsOf } from './report.ts';

export function insightRoutes(server: Server, app: Needs<'db' | 'clock' | 'config' | 'vault'>): void {
  serve(server, getInsights, ({ caller, query }) => {
    requireCountry(query);
    return withinListLimits(app.db, caller.account_id, (db) =>
      insightsOf(db, caller.account_id, query, app.clock.now()),
    );
  });
  serve(server, getVerificationFigures, ({ caller, query, request }) => {
    requireCountry(query);
    return withinListLimits(
      app.db,
      caller.account_id,
      (db) => verificationFiguresOf({ ...app, db }, caller.account_id, { ...query, reader: caller }),
      { signal: request.signal },
    );
  });
  serve(server, getFallback, ({ caller, query, request }) => {
    requireCountry(query);
    return withinListLimits(
      app.db,
      caller.account_id,
      (db) => fallbackOf(db, caller.account_id, query, app.clock.now()),
      { signal: request.signal },
    );
  });
}

function requireCountry({ country }: { country?: string | undefined }): void {
  const problem = country === undefined ? undefined : countryProblem(country);
  if (problem) throw new FieldErrors({ country: [problem] });
}
