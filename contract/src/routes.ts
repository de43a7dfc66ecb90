import * as accounts from './accounts/accounts.ts';
import * as branding from './accounts/branding.ts';
import * as invitations from './accounts/invitations.ts';
import * as members from './accounts/members.ts';
import * as ownAccounts from './accounts/own-accounts.ts';
import * as passwords from './accounts/passwords.ts';
import * as sessions from './accounts/sessions.ts';
import * as signIn from './accounts/sign-in.ts';
import * as sso from './accounts/sso.ts';
import * as apiKeys from './api-keys.ts';
import * as audit from './audit.ts';
import * as connectionList from './connection-list.ts';
import * as connections from './connections.ts';
import * as events from './events.ts';
import * as insights from './insights.ts';
import * as limits from './limits.ts';
import * as live from './live.ts';
import * as messageDomains from './message-links.ts';
import * as otp from './otp.ts';
import * as payments from './payments.ts';
import * as plans from './plans.ts';
import * as prices from './prices.ts';
import * as proof from './proof.ts';
import * as protection from './protection/protection.ts';
import * as recipients from './recipients.ts';
import * as requestLogs from './request-logs.ts';
import { isRoute, type Route } from './route.ts';
import * as passkeys from './second-factors/passkeys.ts';
import * as secondFactors from './second-factors/second-factors.ts';
import * as stepUp from './second-factors/step-up.ts';
import * as spend from './spend.ts';
import * as suppressions from './suppressions.ts';
import * as templates from './templates.ts';
import * as testMode from './test-mode.ts';
import * as testSend from './test-send.ts';
import * as unverifiedCosts from './unverified-costs.ts';
import * as verifications from './verifications.ts';
import * as webhooks from './webhooks.ts';

/** The modules with calls of customers, in the order of the documentation. */
const modules = [
  otp,
  proof,
  verifications,
  signIn,
  passwords,
  sso,
  sessions,
  accounts,
  ownAccounts,
  members,
  invitations,
  branding,
  secondFactors,
  passkeys,
  stepUp,
  audit,
  messageDomains,
  templates,
  plans,
  apiKeys,
  limits,
  connectionList,
  connections,
  requestLogs,
  recipients,
  suppressions,
  insights,
  testMode,
  testSend,
  live,
  events,
  webhooks,
  protection,
  spend,
  payments,
  unverifiedCosts,
  prices,
] as const;
export type RouteModule = (typeof modules)[number];

/** Every call of customers. Those of operators are in `operator/routes.ts`. */
export const routes: readonly Route[] = modules.flatMap((file) => Object.values(file).filter(isRoute));
