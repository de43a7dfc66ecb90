import { SSO_PROVIDERS } from '@sixdigit/contract/docs/sso-providers.ts';
import { neededRole, roleException } from '@sixdigit/contract/needed-roles.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { expect, test } from 'vitest';
import { read } from './source.ts';

const rowOf = (route: Route): string => {
  const but = roleException(route);
  return `| \`${route.method} ${route.path}\` | ${route.summary} | ${neededRole(route)}${but ? `; ${but}` : ''} |`;
};

test('docs/teams.md names the role that each call needs', () => {
  const rows = routes.filter((route) => neededRole(route) !== undefined).map(rowOf);
  const table = ['| call | | lowest role |', '|---|---|---|', ...rows].join('\n');
  expect(read('docs/teams.md')).toContain(`\n${table}\n`);
});

test('docs/teams.md says what to enter at each identity provider', () => {
  const guide = read('docs/teams.md');
  for (const { name, application, redirect, scopes, issuer } of SSO_PROVIDERS)
    expect(guide).toContain(
      `| ${[name, application, redirect, scopes, issuer].join(' | ').replaceAll('**', '*')} |`,
    );
});
