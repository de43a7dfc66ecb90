/** Every screen with the heading that says it is there; public ones need nobody signed in. */
export const SIGNED_IN = [
  { path: '/', heading: 'Verifications' },
  { path: '/logs', heading: 'Logs' },
  { path: '/api-keys', heading: 'API Keys' },
  { path: '/webhooks', heading: 'Webhooks' },
  { path: '/credits', heading: 'Credits' },
  { path: '/docs', heading: 'Docs' },
  { path: '/settings', heading: 'Settings' },
] as const;

export const PUBLIC = ['/sign-in', '/sign-up', '/terms', '/privacy', '/sandbox', '/no-such-page'] as const;
