import { getInsights } from '@sixdigit/contract/insights.ts';
import { countryProblem } from '../../platform/addresses/phone.ts';
import { withinListLimits } from '../../platform/db/list-limits.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { insightsOf } from './report.ts';

export function insightRoutes(server: Server, app: Needs<'db' | 'clock'>): void {
  serve(server, getInsights, ({ caller, query }) => {
    const problem = query.country === undefined ? undefined : countryProblem(query.country);
    if (problem) throw new FieldErrors({ country: [problem] });
    return withinListLimits(app.db, caller.account_id, (db) =>
      insightsOf(db, caller.account_id, query, app.clock.now()),
    );
  });
}
