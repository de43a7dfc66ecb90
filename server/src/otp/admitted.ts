import type { FastifyRequest } from 'fastify';
import { type Admission, admissionOf, isAdmitted, type PendingKey } from '../api-keys/api-keys.ts';
import { NotConfirmed } from '../platform/http/serve.ts';
import type { BatchConnection } from './group-commit.ts';

/** An item of a batch. With `admission`, the batch authenticates its request too. */
export interface Admitted {
  admission?: Admission | null;
}

/** Submits a request to its batch. Throws `NotConfirmed` if the batch did not decide it. */
export async function submitAdmitted<Result>(
  request: FastifyRequest,
  submit: (admission: Admission | null) => Promise<Result | undefined>,
): Promise<Result> {
  const pending = request.pending as PendingKey | null;
  if (pending) pending.isSubmitted = true;
  const result = await submit(pending?.admission ?? null);
  if (result === undefined) throw new NotConfirmed();
  pending?.decided();
  return result;
}

/** Whether the item may be decided. */
export const mayDecide = ({ admission }: Admitted): boolean => !admission || isAdmitted(admission);

/**
 * Begins the transaction of a batch with the statement that takes its locks. In the same round trip, but before, it authenticates
 * the requests that are not authenticated yet. Returns what the statement found.
 */
export async function beginBatch<Found>(
  connection: BatchConnection,
  items: readonly Admitted[],
  lock: string,
): Promise<Found> {
  const pending = items.flatMap(({ admission }) =>
    admission && admission.counted === undefined ? [admission] : [],
  );
  if (pending.length === 0) {
    const [, reply] = await connection.script(`BEGIN; ${lock}`);
    return reply?.rows[0].found as Found;
  }
  const { script, read } = admissionOf(pending);
  const [, admitted, , , reply] = await connection.script(`${script}BEGIN; ${lock}`);
  read(admitted?.rows ?? []);
  return reply?.rows[0].found as Found;
}
