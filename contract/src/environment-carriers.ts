/** The kinds of carriers that environment variables can set up. Such a carrier's name is its kind. People read these labels. */
export const ENVIRONMENT_CARRIERS = {
  smtp: 'SMTP',
  twilio: 'Twilio',
  http: 'HTTP gateway',
} as const satisfies Record<string, string>;
