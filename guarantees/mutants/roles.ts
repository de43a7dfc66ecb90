import type { Mutant } from './mutant.ts';

/** A member does only what their role allows, and a viewer gets no recipient. */
export const roles: readonly Mutant[] = [
  {
    name: 'roles: the role of a caller is not compared',
    promise: 'A call refuses members whose role is too low.',
    file: 'server/src/platform/http/serve.ts',
    find: 'if (needed) requireRole(',
    replace: 'if (needed && route.stream) requireRole(',
    tests: ['server/test/roles.test.ts'],
  },
  {
    name: 'roles: each role may do what the next higher one may',
    promise: 'A role may do only what it and the roles below it may.',
    file: 'contract/src/roles.ts',
    find: 'ROLES.indexOf(role) <= ROLES.indexOf(needed)',
    replace: 'ROLES.indexOf(role) <= ROLES.indexOf(needed) + 1',
    tests: ['server/test/roles.test.ts'],
  },
  {
    name: 'roles: developers make live keys although the account restricts them to admins',
    promise: 'Only admins create, change and rotate live keys if the account says so.',
    file: 'server/src/api-keys/key-rules.ts',
    find: "if (live_keys_need_admin) requireRole(caller, 'admin');",
    replace: '',
    tests: ['server/src/api-keys/key-rules.test.ts'],
  },
  {
    name: 'roles: developers create live connections although the account restricts live keys to admins',
    promise:
      'Only admins create, change, rotate and test live connections if the account restricts live keys.',
    file: 'server/src/connections/connections.ts',
    find: 'await requireKeyRole(tx, { ...caller, role }, mode);',
    replace: '',
    tests: ['server/src/connections/live-connections.test.ts'],
  },
  {
    name: 'roles: developers rotate live connections although the account restricts live keys to admins',
    promise:
      'Only admins create, change, rotate and test live connections if the account restricts live keys.',
    file: 'server/src/connections/connections.ts',
    find: 'await requireKeyRole(tx, caller, key.mode);',
    replace: '',
    tests: ['server/src/connections/live-connections.test.ts'],
  },
  {
    name: 'roles: developers change live connections although the account restricts live keys to admins',
    promise:
      'Only admins create, change, rotate and test live connections if the account restricts live keys.',
    file: 'server/src/api-keys/connection-keys.ts',
    find: 'await requireKeyRole(tx, caller, before.mode);',
    replace: '',
    tests: ['server/src/connections/live-connections.test.ts'],
  },
  {
    name: 'roles: developers test live connections although the account restricts live keys to admins',
    promise:
      'Only admins create, change, rotate and test live connections if the account restricts live keys.',
    file: 'server/src/connections/play.ts',
    find: 'await requireKeyRole(app.db, caller, connection.mode);',
    replace: '',
    tests: ['server/src/connections/live-connections.test.ts'],
  },
  {
    name: 'roles: support allows whole countries',
    promise: 'Support allows single numbers only.',
    file: 'server/src/protection/routes.ts',
    find: "if (body.kind !== 'number') requireRole(caller, 'admin');",
    replace: '',
    tests: ['server/test/roles.test.ts'],
  },
  {
    name: 'roles: viewers get whole recipients in JSON',
    promise: 'Viewers get recipients masked in every response.',
    file: 'server/src/platform/http/serve.ts',
    find: 'viewerMask && isForViewer(request) ? viewerMask(shown) : shown',
    replace: 'shown',
    tests: ['server/test/viewers.test.ts'],
  },
  {
    name: 'roles: a field that the contract does not list is shown to viewers as it is',
    promise: 'A new field is masked unless the contract lists it.',
    file: 'server/src/platform/http/viewer-masks.ts',
    find: 'return isKnown ? undefined : maskedNumbers;',
    replace: 'return undefined;',
    tests: ['server/src/platform/http/viewer-masks.test.ts', 'server/test/viewers.test.ts'],
  },
  {
    name: 'roles: viewers get whole recipients in exports',
    promise: 'Viewers get recipients masked in exports.',
    file: 'server/src/platform/export/export.ts',
    find: "caller.role === 'viewer' ? maskedCell :",
    replace: "caller.role === 'nobody' ? maskedCell :",
    tests: ['server/test/viewers.test.ts'],
  },
  {
    name: 'roles: a viewer finds rows by a part of a recipient',
    promise: 'Viewers cannot find out a recipient by searching.',
    file: 'server/src/platform/db/page.ts',
    find: "role === 'viewer' ? null : undefined",
    replace: 'undefined',
    tests: ['server/test/viewers.test.ts'],
  },
  {
    name: 'roles: a viewer finds texts by a masked part',
    promise: 'Viewers cannot find out a recipient by searching texts that contain it.',
    file: 'server/src/platform/db/page.ts',
    find: "role === 'viewer' ? `case when ${column} ~ '${MAY_BE_MASKED}' then '' else ${column} end` : column",
    replace: 'column',
    tests: ['server/test/viewers.test.ts'],
  },
];
