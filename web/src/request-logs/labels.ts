import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { labelOf } from '../otp/channel.ts';

const actions = { send_otp: 'Send OTP', verify_otp: 'Verify OTP' } as const;

export const actionOf = ({ request_type }: RequestLog): string => actions[request_type];

/** 'via SMS', if the channel is known. */
export const viaOf = ({ otp }: RequestLog): string | undefined =>
  otp?.channel ? `via ${labelOf(otp.channel)}` : undefined;

export const milliseconds = (ms: number): string =>
  `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;

/** The path relative to the base URL, as in the docs. */
export const withoutBase = (endpoint: string): string =>
  endpoint.startsWith(API_BASE) ? endpoint.slice(API_BASE.length) : endpoint;
