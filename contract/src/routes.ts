import * as accounts from './accounts.ts';
import * as apiKeys from './api-keys.ts';
import * as otp from './otp.ts';
import * as payments from './payments.ts';
import * as requestLogs from './request-logs.ts';
import type { Route } from './route.ts';
import * as webhooks from './webhooks.ts';

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'path' in value && 'method' in value && 'auth' in value;

/** Every call of the API, in the order of the documentation. */
export const routes: readonly Route[] = [otp, accounts, apiKeys, requestLogs, webhooks, payments].flatMap(
  (file) => Object.values(file).filter(isRoute),
);
