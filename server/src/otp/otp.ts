/**
 * The door of this module: codes are sent, verified, canceled and reported. Other modules import this file only; `app.ts` also
 * imports `routes.ts` and `jobs.ts`.
 */
export { admitSends, createOtp, type Otp } from './admission.ts';
export { applyChanges } from './change.ts';
export { otpJobs } from './jobs.ts';
export { lockVerifications } from './queries.ts';
export { recipientHash } from './recipient.ts';
export { report } from './reports.ts';
export { selectStatusLogs } from './verification-queries.ts';
