/** Every screen with its heading, public ones with a text of theirs. */
export const SIGNED_IN = [
  { path: '/', heading: 'Verifications' },
  { path: '/logs', heading: 'Logs' },
  { path: '/api-keys', heading: 'API Keys' },
  { path: '/webhooks', heading: 'Webhooks' },
  { path: '/credits', heading: 'Credits' },
  { path: '/docs', heading: 'Docs' },
  { path: '/settings', heading: 'Settings' },
] as const;

export const PUBLIC = [
  { path: '/sign-in', text: 'Forgot your password?' },
  { path: '/sign-up', text: 'Confirm Password' },
  { path: '/terms', text: 'Service description' },
  { path: '/privacy', text: 'Information we collect' },
  { path: '/sandbox', text: 'bob.' },
  { path: '/no-such-page', text: 'Not Found' },
] as const;
