import { expect, test } from 'vitest';
import { deleteApiKey, type listApiKeys } from './api-keys.ts';
import { type Given, type Parsed, paramsOf } from './route.ts';
import { createWebhook, deleteWebhook, exportWebhookAttempts, getWebhookAttempt } from './webhooks.ts';

test('the first line of a call sets its method, path and status', () => {
  expect(getWebhookAttempt).toMatchObject({
    method: 'GET',
    path: '/webhooks/:id/attempts/:attempt_id/',
    status: 200,
  });
  expect(createWebhook).toMatchObject({ method: 'POST', path: '/webhooks/', status: 201 });
  expect(exportWebhookAttempts.status).toBe(200);
  expect(deleteWebhook.status).toBe(204);
});

test('the parameters of a call are those in its path', () => {
  const one: Given<typeof deleteApiKey, 'params'> = { id: 'x' };
  const two: Parsed<typeof getWebhookAttempt, 'params'> = { id: 'x', attempt_id: 'y' };
  const none: Given<typeof listApiKeys, 'params'> = undefined;
  expect([one, two, none]).toBeDefined();

  // @ts-expect-error The path names another parameter.
  const wrong: Given<typeof deleteApiKey, 'params'> = { otp_id: 'x' };
  // @ts-expect-error A parameter is missing.
  const missing: Given<typeof getWebhookAttempt, 'params'> = { id: 'x' };
  // @ts-expect-error The path has no parameter.
  const surplus: Given<typeof listApiKeys, 'params'> = { id: 'x' };
  // @ts-expect-error The status of a call without a response is 204.
  const status: 200 = deleteApiKey.status;
  expect([wrong, missing, surplus, status]).toBeDefined();
  expect(paramsOf(getWebhookAttempt.path)).toEqual(['id', 'attempt_id']);
});
