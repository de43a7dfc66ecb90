import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Change } from '../change.ts';
import type { Code } from '../code.ts';
import type { Wording } from '../send/wording.ts';

/** A step as the verification of the first message stores it: started with a message, skipped, or neither yet. */
export interface StoredStep {
  channel: Channel;
  id?: string;
  skipped?: string;
  at?: string;
}

/** A step that has not started, with the text of its message as the send asked for it. */
export interface StepText extends Wording {
  channel: Channel;
  segments: number | null;
}

/** The column `verifications.plan`: of the first message with all steps, of a later one with its place. */
export interface StoredPlan {
  step: number;
  steps?: readonly StoredStep[];
}

/** What a send of several channels stores besides its first message. */
export interface NewPlan {
  channels: readonly Channel[];
  rest: readonly StepText[];
  wait_seconds: number;
}

/** A message that is the next step of a plan. */
export interface StartedStep {
  otp_id: string;
  /** The message of the step before it. If the plan has moved on meanwhile, this message is not sent. */
  after_id: string;
  /** It starts because the plan is due, not because of a resend. */
  is_due: boolean;
  code: Code;
  rest: readonly StepText[];
  steps: readonly StoredStep[];
  changes: readonly Change[];
}

/** One advance of a plan, for `advance_plans`. */
export interface Move extends Pick<StartedStep, 'rest' | 'is_due' | 'steps' | 'changes'> {
  account_id: string;
  otp_id: string;
  /** The message of the step that starts; null if none does. */
  current_id: string | null;
}
