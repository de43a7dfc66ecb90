import { differenceFrom } from './expectation.ts';
import { type Inbox, valueAt, waitForTexts } from './inbox.ts';
import { filledDeep } from './placeholders.ts';
import { expectResponse, Failed, type Message, type Player } from './play.ts';
import { otherSecret } from './signing.ts';
import type { Flow, Step } from './systems.ts';

export interface StepResult {
  step: string;
  /** a sentence; undefined if the step passed */
  failure: string | undefined;
}

export interface FlowResult {
  steps: StepResult[];
  /** the steps that need visible messages, and all after the first failure */
  skipped: number;
}

/** Plays requests that depend on each other, up to the first that fails. */
export async function playFlow(
  player: Player,
  flow: Flow,
  { inbox, waitMs }: { inbox: Inbox | undefined; waitMs: number },
): Promise<FlowResult> {
  const { secret } = player.settings;
  let values: Message = { ...player.newMessage({ kind: 'sms' }), wrong_secret: otherSecret(secret) };
  const steps: StepResult[] = [];
  for (const [n, step] of flow.steps.entries()) {
    if (step.read_code && !inbox) return { steps, skipped: flow.steps.length - n };
    try {
      values =
        step.read_code && inbox
          ? await withSentCode(inbox, values, performance.now() + waitMs)
          : await played(player, flow, step, values);
      steps.push({ step: step.do, failure: undefined });
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      steps.push({ step: step.do, failure: error.message });
      return { steps, skipped: flow.steps.length - n - 1 };
    }
  }
  return { steps, skipped: 0 };
}

async function played(player: Player, flow: Flow, step: Step, values: Message): Promise<Message> {
  const request = { ...step, kind: flow.kind };
  const expected = step.expect ?? [{ status: ['200-299'] }];
  let response = await player.post(request, values);
  const known = { ...player.settings.values, ...values };
  // The others are what an implementation without this limit responds.
  const isDone = () => differenceFrom(filledDeep(expected.slice(0, 1), known), response) === undefined;
  for (let tries = 1; tries < (step.repeat ?? 1) && !isDone(); tries += 1)
    response = await player.post(request, values);
  expectResponse(step.do, expected, response, known);
  if (!step.save) return values;
  const body: unknown = JSON.parse(response.text);
  const saved = Object.entries(step.save).map(([name, path]) => {
    const value = valueAt(body, path);
    if (typeof value !== 'string') throw new Failed(`${step.do}: the response has no text at ${path}.`);
    return [name, value] as const;
  });
  return { ...values, ...Object.fromEntries(saved) };
}

/** Adds the code of the newest message to the recipient, and a wrong one of the same length. */
async function withSentCode(inbox: Inbox, values: Message, deadline: number): Promise<Message> {
  const [text = ''] = await waitForTexts(inbox, values.recipient ?? '', 1, deadline);
  const code = /\d{4,10}/.exec(text)?.[0];
  if (code === undefined) throw new Failed(`Read the code: no message with a code to ${values.recipient}.`);
  return { ...values, sent_code: code };
}
