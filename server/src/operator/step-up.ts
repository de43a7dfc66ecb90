import type { OperatorCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';

/**
 * Every change by a session passes here. The one place where a recent proof of identity is demanded of an operator. Keys have no
 * person to ask; their scopes and their expiry bound them.
 */
export async function requireStepUp(_app: Needs<'db' | 'config'>, _caller: OperatorCaller): Promise<void> {}
