import type { Channel } from '#contract/otp.ts';

export const channelLabel: Record<Channel, string> = { sms: 'SMS', voice: 'Voice', email: 'Email' };
