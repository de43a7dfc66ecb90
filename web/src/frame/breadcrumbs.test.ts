import { expect, test } from 'vitest';
import { breadcrumbs } from './breadcrumbs.ts';

test.each([
  ['/', 'Activity'],
  ['/credits', 'Credits'],
  ['/api-keys', 'API Keys'],
  ['/activity', 'Activity'],
  ['/logs', 'Request Logs'],
  ['/profile', 'Profile'],
  ['/settings', 'Settings'],
  ['/docs', 'Docs'],
  ['/documentation', 'Docs'],
  ['/billing', 'Billing'],
  ['/connections', 'Connections'],
  ['/webhooks', 'Webhooks'],
  ['/unknown', 'Unknown'],
])('the breadcrumb of %s is %s', (path, label) => {
  expect(breadcrumbs(path)).toEqual([{ label, path }]);
});

test('every segment of a path has a breadcrumb that links to the path up to it', () => {
  expect(breadcrumbs('/settings/billing/')).toEqual([
    { label: 'Settings', path: '/settings' },
    { label: 'Billing', path: '/settings/billing' },
  ]);
});

test('a breadcrumb shows the name of an id, and links to the whole path', () => {
  const id = '01a2030e-9e0a-712a-a7fe-9532df69049b';
  expect(breadcrumbs(`/operator/accounts/${id}/requests`, { [id]: 'bob@example.com' }).slice(2)).toEqual([
    { label: 'bob@example.com', path: `/operator/accounts/${id}` },
    { label: 'Requests', path: `/operator/accounts/${id}/requests` },
  ]);
});
