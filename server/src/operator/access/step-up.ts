import { type OperatorCaller, requireStepUp as requireProof } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';

/**
 * In production, every change by a session needs a proof of identity from the last 15 minutes. Keys have no person to ask; their
 * scopes and their expiry bound them.
 */
export function requireStepUp({ config }: Needs<'config'>, caller: OperatorCaller): void {
  if (caller.session_id !== null && !config.sandbox) requireProof(caller);
}
