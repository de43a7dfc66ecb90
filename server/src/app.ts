import {
  authenticateMember,
  authenticatePerson,
  contactOf,
  createPasswords,
  endSsoSessionsOf,
  findPerson,
  isMemberSessionOpen,
  isOwnerWithProof,
  lockMembers,
  lockPerson,
  type Passwords,
  selectOpenMemberSessions,
  shortenSsoSessionsOf,
} from './accounts/accounts.ts';
import { accountJobs } from './accounts/jobs.ts';
import { accountRoutes } from './accounts/routes.ts';
import { secondFactorRoutes } from './accounts/second-factors/routes.ts';
import { ssoJobs } from './accounts/sso/jobs.ts';
import { ssoRoutes } from './accounts/sso/routes.ts';
import { createProviders, type Providers } from './accounts/sso/sso.ts';
import { createKeyAdmission, createLastUse } from './api-keys/api-keys.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { createFailedSignIns, type FailedSignIns } from './audit/audit.ts';
import { auditRoutes } from './audit/routes.ts';
import { camaraRoutes, twilioRoutes } from './compat/compat.ts';
import { connectionRoutes } from './connections/routes.ts';
import { selectNewestEntries } from './credits/credits.ts';
import { createPrices, type PriceBook } from './credits/prices/prices.ts';
import { spendJobs } from './credits/spend/jobs.ts';
import { spendRoutes } from './credits/spend/routes.ts';
import { deletionJobs, deletionRoutes } from './deletion/deletion.ts';
import { createEventStreams, type EventStreams } from './events/events.ts';
import { eventRoutes } from './events/routes.ts';
import { insightJobs } from './insights/jobs.ts';
import { insightRoutes } from './insights/routes.ts';
import { limitRoutes } from './limits/routes.ts';
import { createLookups, LOOKUP, type Lookups, loadLookup } from './lookups/lookups.ts';
import {
  type Breakers,
  type Carriers,
  countedCarriers,
  createBreakers,
  createCarriers,
  createSnsHosts,
  isPausedBy,
  loadStored,
  type Routing,
  routedCarriers,
  type SnsHosts,
} from './messaging/carriers/carriers.ts';
import { noticeJobs } from './messaging/notices/jobs.ts';
import { sandboxRoutes } from './messaging/sandbox/routes.ts';
import { storeMessage } from './messaging/sandbox/sandbox.ts';
import { suppressionRoutes } from './messaging/suppressions/routes.ts';
import { operationRoutes, refuseWithoutKey, workerRoutes } from './operations/deployment/deployment.ts';
import { retentionJobs } from './operations/retention/retention.ts';
import {
  type Activity,
  activityJobs,
  authenticateOperator,
  countActivity,
  countryRoutingOf,
  createActivity,
  findOperator,
  makeFirstOperator,
  operatorJobs,
  routingOf,
  type ServiceApp,
  STORED_CARRIERS,
  shownAnnouncements,
} from './operator/operator.ts';
import { operatorRoutes } from './operator/routes.ts';
import { otpJobs } from './otp/jobs.ts';
import {
  type Batches,
  createBatches,
  createPlanLookups,
  type Deliveries,
  deliveryQueue,
  type PlanLookups,
  queueGauges,
  renderTestMessage,
  report,
  selectNewestStates,
  selectRecipient,
} from './otp/otp.ts';
import { otpRoutes } from './otp/routes.ts';
import { testModeJobs } from './otp/test-mode/jobs.ts';
import { testModeRoutes } from './otp/test-mode/routes.ts';
import { paymentJobs } from './payments/jobs.ts';
import { type CardProvider, createCards, hasSavedCard, unmatchedGauges } from './payments/payments.ts';
import { paymentRoutes } from './payments/routes.ts';
import { createTxtLookup, type TxtLookup } from './platform/addresses/txt-lookup.ts';
import { standbyOf } from './platform/db/standby-reads.ts';
import { readStandbyGauges, standbyGauges } from './platform/db/standbys.ts';
import { every } from './platform/http/every.ts';
import { Failure } from './platform/http/failure.ts';
import { refuseOtherMethods } from './platform/http/methods.ts';
import { limitByPerson } from './platform/http/person-rate.ts';
import type { Authenticators, Server } from './platform/http/serve.ts';
import { createServer } from './platform/http/server.ts';
import { createLiveRows, type LiveRows } from './platform/live/live.ts';
import { liveRoutes } from './platform/live/routes.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import type { Platform } from './platform/platform.ts';
import type { Job } from './platform/queue/job.ts';
import { workerGauges } from './platform/queue/work.ts';
import { ageMs } from './platform/security/random.ts';
import { protectionJobs } from './protection/jobs.ts';
import { messageLinkJobs } from './protection/message-links/jobs.ts';
import { messageLinkRoutes } from './protection/message-links/routes.ts';
import { createProtection, type Protection } from './protection/protection.ts';
import { protectionRoutes } from './protection/routes.ts';
import {
  createRequestLogWriter,
  type RequestLogWriter,
  recordAnswers,
  selectNewestRequests,
} from './request-logs/request-logs.ts';
import { requestLogRoutes } from './request-logs/routes.ts';
import { createAccountLimits, type LimitsOfAccounts } from './settings/account-limits/account-limits.ts';
import {
  createLiveSettings,
  type LiveSettings,
  SETTINGS_EVERY_MS,
  settingsJobs,
} from './settings/live-settings/live-settings.ts';
import { withOverrides } from './settings/settings.ts';
import { templateRoutes } from './templates/routes.ts';
import { createTemplates, type Templates } from './templates/templates.ts';
import { webhookJobs } from './webhooks/jobs.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { webhookGauges } from './webhooks/webhooks.ts';

/** The platform and all modules with in-memory state. Routes and jobs are created from it. */
export interface App extends Platform {
  carriers: Carriers;
  cards: CardProvider | undefined;
  breakers: Breakers;
  protection: Protection;
  batches: Batches;
  deliveries: Deliveries;
  requestLog: RequestLogWriter;
  metrics: Metrics;
  activity: Activity;
  failedSignIns: FailedSignIns;
  txtLookup: TxtLookup;
  ssoProviders: Providers;
  live: LiveSettings;
  liveRows: LiveRows;
  eventStreams: EventStreams;
  plans: PlanLookups;
  prices: PriceBook;
  templates: Templates;
  sns: SnsHosts;
  accountLimits: LimitsOfAccounts;
  lookups: Lookups;
}

export function createApp(given: Platform, print: (line: string) => void): App {
  const live = createLiveSettings(given);
  const config = withOverrides(given.config, (name) => live.value(name));
  const platform = { ...given, config };
  const { db, clock } = platform;
  const standby = standbyOf(db);
  const metrics = createMetrics([
    queueGauges,
    webhookGauges,
    workerGauges,
    unmatchedGauges,
    standbyGauges,
    readStandbyGauges(standby),
  ]);
  standby?.follow((source) => metrics.listRead(source));
  const routing: Routing = {
    of: (channel) => routingOf(live)[channel],
    ofCountry: (channel, country) => countryRoutingOf(live)[country]?.[channel],
  };
  const carriers = createCarriers(
    {
      ...config.carriers,
      sandbox: config.sandbox,
      brandName: config.brandName,
      publicUrl: config.publicUrl,
    },
    {
      clock,
      sandboxPrint: print,
      sandboxStore: (message) => storeMessage(platform, message),
    },
  );
  live.follow(STORED_CARRIERS, async () => carriers.setStored(await loadStored(platform)));
  const accountLimits = createAccountLimits(live);
  const protection = createProtection(platform, {
    isTrusted: (account_id) => accountLimits.of(account_id)?.is_trusted === true,
  });
  const lookups = createLookups(platform, metrics);
  const activity = createActivity(platform, { lookupPause: lookups.paused });
  live.follow(LOOKUP, async () => {
    const setup = await loadLookup(platform);
    lookups.use(setup);
    protection.guard.setHasLookup(setup !== undefined);
  });
  const app = {
    ...platform,
    carriers: routedCarriers(
      countedCarriers(carriers, (answer) => {
        const { carrier, channel, outcome, ms, message_id } = answer;
        metrics.carrierAnswered({ carrier, channel, outcome: outcome.kind, ms });
        if (outcome.kind === 'accepted') metrics.messageReached('taken', channel, ageMs(clock, message_id));
        activity.carrierAnswered(answer);
      }),
      routing,
      platform.random,
    ),
    cards: createCards(platform),
    metrics,
    activity,
    failedSignIns: createFailedSignIns(platform),
    txtLookup: createTxtLookup(config.dnsServers),
    ssoProviders: createProviders({ config }),
    live,
    liveRows: createLiveRows(platform, {
      states: {
        verifications: selectNewestStates,
        requests: selectNewestRequests,
        credits: selectNewestEntries,
      },
      openSessions: selectOpenMemberSessions,
    }),
    eventStreams: createEventStreams(platform),
    prices: createPrices(live),
    plans: createPlanLookups(platform),
    templates: createTemplates(platform),
    sns: createSnsHosts(),
    accountLimits,
    lookups,
    breakers: createBreakers((carrier, channel) => isPausedBy(routing, carrier, channel)),
    protection,
    batches: createBatches(),
    requestLog: createRequestLogWriter({ db, clock, log: platform.log }),
  };
  // Created once, because sends reserve slots in the same queue that the worker runs.
  return Object.assign(app, { deliveries: deliveryQueue(app) });
}

/** Closes connections only after a response, because a seemingly idle connection may already carry a request. */
function endKeptConnections(server: Server, isStopping: () => boolean): void {
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStopping()) reply.header('connection', 'close');
    done();
  });
}

/** How often the last use of keys is recorded, off the request path. */
const NOTE_USE_MS = 1_000;

/** Registers all routes on one server. */
export async function createApi(
  app: App,
  options: {
    works?: boolean;
    isStopping?: () => boolean;
    passwords?: Passwords;
    examine?: ServiceApp['examine'];
  } = {},
): Promise<Server> {
  const passwords = options.passwords ?? createPasswords();
  const lastUse = createLastUse();
  const keys = createKeyAdmission(app, lastUse.seen);
  const authenticators: Authenticators = {
    api_key: keys.byText,
    person: limitByPerson(app, authenticatePerson(app)),
    bearer: limitByPerson(app, authenticateMember(app)),
    operator: limitByPerson(app, authenticateOperator(app)),
  };
  const server = await createServer(app, authenticators, (caller) => isMemberSessionOpen(app.db, caller));
  if (options.isStopping) endKeptConnections(server, options.isStopping);
  refuseWithoutKey(server, app);
  recordAnswers(server, app);
  otpRoutes(server, app);
  apiKeyRoutes(server, { ...app, lockMembers });
  limitRoutes(server, app);
  connectionRoutes(server, {
    ...app,
    lockMembers,
    admit: keys.byHash,
    contactOf: (id) => contactOf(app.db, id),
  });
  camaraRoutes(server, { ...app, admit: keys.byText });
  twilioRoutes(server, { ...app, admit: keys.byText });
  spendRoutes(server, app);
  testModeRoutes(server, app, (row) => renderTestMessage(app, row));
  requestLogRoutes(server, app);
  protectionRoutes(server, app);
  liveRoutes(server, app);
  eventRoutes(server, app);
  insightRoutes(server, app);
  webhookRoutes(server, app);
  auditRoutes(server, app);
  messageLinkRoutes(server, app);
  templateRoutes(server, app);
  suppressionRoutes(server, { ...app, recipientOf: selectRecipient });
  accountRoutes(server, {
    ...app,
    hasSavedCard: (account_id) => hasSavedCard(app, account_id),
    fromOperators: (person_id) => fromOperators(app, person_id),
    passwords,
  });
  deletionRoutes(server, { ...app, passwords });
  secondFactorRoutes(server, {
    ...app,
    emailOf: async (id) => (await findPerson(app.db, id))?.email ?? '',
    lockPerson,
  });
  ssoRoutes(server, {
    ...app,
    providers: app.ssoProviders,
    lockMembers,
    isOwnerWithProof,
    endSsoSessionsOf,
    shortenSsoSessionsOf,
  });
  paymentRoutes(server, app);
  operatorRoutes(server, { ...app, examine: options.examine ?? (async () => []) });
  sandboxRoutes(server, app);
  refuseOtherMethods(server);
  await operationRoutes(server, app, options);
  const noteUse = () => lastUse.write(app.db, app.clock.now()).catch(() => undefined);
  every(server, NOTE_USE_MS, noteUse, { atClose: true });
  await app.protection.start();
  await followSettings(server, app);
  server.addHook('onClose', () => app.protection.close());
  server.addHook('onClose', () => app.failedSignIns.flush().catch(() => undefined));
  countActivity(server, app);
  return server;
}

/** Serves a worker's health check and metrics, because only the worker has its counters. */
export async function createWorkerServer(app: App, isStopping: () => boolean): Promise<Server> {
  const none = () => Promise.reject(new Failure('not_found'));
  const server = await createServer(app, { api_key: none, person: none, bearer: none, operator: none });
  endKeptConnections(server, isStopping);
  workerRoutes(server, app, isStopping);
  return server;
}

/** The fields that the operator module adds to the signed-in user. */
async function fromOperators(app: App, person_id: string) {
  await makeFirstOperator(app);
  const [operator, announcements] = await Promise.all([
    findOperator(app.db, person_id),
    shownAnnouncements(app.db),
  ]);
  return { announcements, ...(operator ? { operator_role: operator.role } : {}) };
}

/** Reads the live settings before the first request and then twice a second. */
async function followSettings(server: Server, { live, log }: App): Promise<void> {
  const follow = () =>
    live.refresh().catch((err: unknown) => log.debug({ err }, 'could not read the settings'));
  await follow();
  every(server, SETTINGS_EVERY_MS, follow, { atClose: false });
}

/** All recurring jobs of a worker. */
export const allJobs = (app: App): Job[] => [
  ...settingsJobs(app),
  ...otpJobs(app),
  ...webhookJobs(app),
  ...noticeJobs(app),
  ...messageLinkJobs(app),
  ...accountJobs(app),
  ...deletionJobs(app),
  ...ssoJobs(app),
  ...spendJobs(app),
  ...testModeJobs(app, (received) => report(app, received)),
  ...protectionJobs(app),
  ...paymentJobs(app),
  ...insightJobs(app),
  ...retentionJobs(app),
  ...activityJobs(app),
  ...operatorJobs(app),
];
