import { ask, type Recorder } from './recorder.ts';

/** Verifies every second message that the carrier received, retries until it has a final response, and records successes. */
export async function verifyArrivals(
  { messages }: { readonly messages: readonly { id: string; code: string }[] },
  { recorder, ports, stop }: { recorder: Recorder; ports: readonly number[]; stop: AbortSignal },
): Promise<void> {
  const open = new Set<Promise<void>>();
  const note = (what: string) => {
    const name = `verify ${what}`;
    recorder.answers.set(name, (recorder.answers.get(name) ?? 0) + 1);
  };
  const verifyOne = async (otp_id: string, code: string, turn: number) => {
    for (let tries = 0; !stop.aborted; tries++) {
      const key = recorder.acknowledged.get(otp_id)?.key;
      // A message can arrive before the response to its send. After a kill, that response never comes.
      if (key === undefined && tries > 20) return note('unacknowledged');
      if (key !== undefined) {
        const port = ports[(turn + tries) % ports.length] as number;
        const answer = await ask(port, '/api/v1/otp/verify/', key, { otp_id, code }).catch(() => undefined);
        note(answer === undefined ? 'lost' : `${answer.status} ${answer.body.reason ?? ''}`.trim());
        if (answer?.status === 200) recorder.verified.add(otp_id);
        if (answer && answer.status !== 503 && answer.status !== 429) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  for (let seen = 0; !stop.aborted; ) {
    for (; seen < messages.length; seen++) {
      const message = messages[seen];
      if (!message || seen % 2 === 1) continue;
      const one = verifyOne(message.id, message.code, seen).finally(() => open.delete(one));
      open.add(one);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await Promise.all(open);
}
