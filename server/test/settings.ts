import { ConfigProblems, readConfig } from '../src/settings/settings.ts';

/** The problems that a start with these settings reports. */
export function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigProblems) return error.problems;
    throw error;
  }
  return [];
}

export const SMTP = { SMTP_URL: 'smtp://mail.example.com', EMAIL_FROM: 'codes@example.com' };
/** The minimal settings of a production deployment. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  SECRET_KEY: 'pN2v8Kq0sXw5zR1tYb7LmC4dFh6JgA3e',
  PUBLIC_URL: 'https://otp.example.com',
  ...SMTP,
};
