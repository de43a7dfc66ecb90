import type { PasswordCost } from './accounts/accounts.ts';
import { authenticateSession } from './accounts/accounts.ts';
import { accountJobs } from './accounts/jobs.ts';
import { accountRoutes } from './accounts/routes.ts';
import { createKeyAuthenticator, createLastUse } from './api-keys/api-keys.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import {
  type Breakers,
  type Carriers,
  countedCarriers,
  createBreakers,
  createCarriers,
} from './carriers/carriers.ts';
import { operationRoutes } from './deployment/deployment.ts';
import { insightJobs } from './insights/jobs.ts';
import { insightRoutes } from './insights/routes.ts';
import { noticeJobs } from './notices/jobs.ts';
import { authenticateOperator } from './operator/operator.ts';
import { operatorRoutes } from './operator/routes.ts';
import { otpJobs } from './otp/jobs.ts';
import { createOtp, type Otp, queueGauges } from './otp/otp.ts';
import { otpRoutes } from './otp/routes.ts';
import { paymentJobs } from './payments/jobs.ts';
import { type CardProvider, createCards, hasSavedCard, unmatchedGauges } from './payments/payments.ts';
import { paymentRoutes } from './payments/routes.ts';
import type { Config } from './platform/config.ts';
import { limitByAccount } from './platform/http/account-rate.ts';
import type { Authenticators, Server } from './platform/http/serve.ts';
import { createServer } from './platform/http/server.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import type { Platform } from './platform/platform.ts';
import type { Job } from './platform/queue/job.ts';
import { workerGauges } from './platform/queue/work.ts';
import { createProtection, type Protection } from './protection/protection.ts';
import { protectionRoutes } from './protection/routes.ts';
import { createRequestLogWriter, type RequestLogWriter, recordAnswers } from './request-logs/request-logs.ts';
import { requestLogRoutes } from './request-logs/routes.ts';
import { retentionJobs } from './retention/retention.ts';
import { sandboxRoutes } from './sandbox/routes.ts';
import { storeMessage } from './sandbox/sandbox.ts';
import { spendJobs } from './spend/jobs.ts';
import { spendRoutes } from './spend/routes.ts';
import { webhookJobs } from './webhooks/jobs.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { webhookGauges } from './webhooks/webhooks.ts';

/** The platform and all modules with in-memory state. Routes and jobs are created from it. */
export interface App extends Platform {
  carriers: Carriers;
  cards: CardProvider | undefined;
  breakers: Breakers;
  protection: Protection;
  otp: Otp;
  requestLog: RequestLogWriter;
  metrics: Metrics;
}

export function createApp(platform: Platform, print: (line: string) => void): App {
  const { config, db, clock } = platform;
  const metrics = createMetrics([queueGauges, webhookGauges, workerGauges, unmatchedGauges]);
  const carriers = createCarriers(
    { ...config.carriers, sandbox: config.sandbox, brandName: config.brandName },
    {
      clock,
      sandboxPrint: print,
      sandboxStore: (message) => storeMessage(platform, message),
    },
  );
  const protection = createProtection(platform);
  return {
    ...platform,
    carriers: countedCarriers(carriers, metrics.carrierAnswered),
    cards: createCards(platform),
    metrics,
    breakers: createBreakers(),
    protection,
    otp: createOtp({ ...platform, protection }),
    requestLog: createRequestLogWriter({ db, clock, log: platform.log }),
  };
}

/** Only closes connections after a response: an apparently idle connection may already carry a request. */
function endKeptConnections(server: Server, isStopping: () => boolean): void {
  server.addHook('onSend', async (_request, reply) => {
    if (isStopping()) reply.header('connection', 'close');
  });
}

/** Registers all routes on one server. */
export async function createApi(
  app: App,
  options: { works?: boolean; isStopping?: () => boolean; passwordCost?: PasswordCost } = {},
): Promise<Server> {
  const lastUse = createLastUse();
  const authenticators: Authenticators = {
    api_key: createKeyAuthenticator(app, lastUse.seen),
    bearer: limitByAccount(app, authenticateSession(app)),
    operator: limitByAccount(app, authenticateOperator(app)),
  };
  const server = await createServer(app, authenticators);
  if (options.isStopping) endKeptConnections(server, options.isStopping);
  recordAnswers(server, app);
  otpRoutes(server, app);
  apiKeyRoutes(server, app);
  spendRoutes(server, app);
  requestLogRoutes(server, app);
  protectionRoutes(server, app);
  insightRoutes(server, app);
  webhookRoutes(server, app);
  accountRoutes(
    server,
    { ...app, hasSavedCard: (account_id) => hasSavedCard(app, account_id) },
    options.passwordCost,
  );
  paymentRoutes(server, app);
  operatorRoutes(server, app);
  sandboxRoutes(server, app);
  await operationRoutes(server, app, options);
  noteUse(server, app, lastUse);
  await app.protection.start();
  server.addHook('onClose', () => app.protection.close());
  return server;
}

const NOTE_USE_MS = 1_000;

/** Writes the last use of keys periodically, off the request path. */
function noteUse(server: Server, app: App, lastUse: ReturnType<typeof createLastUse>): void {
  const note = () => lastUse.write(app.db, app.clock.now()).catch(() => undefined);
  const timer = setInterval(() => void note(), NOTE_USE_MS);
  timer.unref();
  server.addHook('onClose', async () => {
    clearInterval(timer);
    await note();
  });
}

/** All recurring jobs of a worker. */
export const allJobs = (app: App): Job[] => [
  ...otpJobs(app),
  ...webhookJobs(app),
  ...noticeJobs(app),
  ...accountJobs(app),
  ...spendJobs(app),
  ...paymentJobs(app),
  ...insightJobs(app),
  ...retentionJobs(app),
];

export type { Config };
