import type { CheckedVersion } from './checked-version.ts';
import { CHECKS, type Group } from './checks.ts';
import { playFlow } from './flows.ts';
import { type Inbox, inboxAt, waitForTexts } from './inbox.ts';
import { Failed, type Player, playerOf } from './play.ts';
import { createRecipients, type Recipients } from './recipients.ts';
import type { Settings, SystemSettings } from './settings.ts';
import type { Kind, Version } from './systems.ts';

/** One thing that was tried. */
export interface Outcome {
  group: Group;
  check: string;
  status: 'passed' | 'failed' | 'skipped';
  /** why it failed or was skipped, as a sentence */
  reason: string | null;
}

/** A version of a system's request, or a flow. */
export interface Row {
  system: string;
  name: string;
  version: string;
  kind: Kind;
  outcomes: Outcome[];
  slowest_ms: number;
}

export interface Report {
  base: string;
  /** false if no message could be read, so that only responses were checked */
  messages_read: boolean;
  rows: Row[];
  passed: number;
  failed: number;
  skipped: number;
}

export interface RunOptions {
  /** requests to one system; the limit of an implementation may be lower */
  perSecond: number;
  /** how long messages may take */
  waitMs: number;
}

/** Plays every version and flow of the systems in the settings. */
export async function runConformance(settings: Settings, options: RunOptions): Promise<Report> {
  const inbox = settings.messages && inboxAt(settings.messages);
  const recipients = createRecipients(settings);
  // Before anything is sent, because an unreadable list would make the run useless.
  await inbox?.textsTo(recipients.phone());
  const rows = (
    await Promise.all(settings.systems.map((one) => playSystem(one, { ...options, inbox, recipients })))
  ).flat();
  const outcomes = rows.flatMap((row) => row.outcomes);
  const count = (status: Outcome['status']) => outcomes.filter((one) => one.status === status).length;
  return {
    base: settings.base.href,
    messages_read: inbox !== undefined,
    rows,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
  };
}

interface Stage extends RunOptions {
  inbox: Inbox | undefined;
  recipients: Recipients;
}

/** The messages that a check expects. */
interface Expected {
  outcome: Outcome;
  messages: { to: string; code: string }[];
  none: string[];
}

async function playSystem(settings: SystemSettings, stage: Stage): Promise<Row[]> {
  const { system, addresses } = settings;
  const player = playerOf(settings, stage);
  const rows: Row[] = [];
  const expected: Expected[] = [];
  const seen = new Set<Kind>();
  for (const version of system.versions ?? []) {
    if (addresses[version.kind] === undefined) continue;
    const isFirst = !seen.has(version.kind);
    seen.add(version.kind);
    rows.push(await playVersion(player, version, { isFirst, expected }));
  }
  for (const flow of system.flows ?? []) {
    if (addresses[flow.kind] === undefined) continue;
    player.slowestMs = 0;
    const { steps, skipped } = await playFlow(player, flow, stage);
    rows.push({
      ...{ system: system.id, name: system.name, version: flow.name, kind: flow.kind },
      outcomes: [
        ...steps.map(({ step, failure }) => outcomeOf('flow', step, failure)),
        ...Array.from({ length: skipped }, () => skippedOutcome('flow', 'later step', 'not reached')),
      ],
      slowest_ms: Math.round(player.slowestMs),
    });
  }
  if (stage.inbox) await judgeMessages(stage.inbox, expected, performance.now() + stage.waitMs);
  for (const outcome of rows.flatMap(({ outcomes }) => outcomes))
    outcome.reason = hidden(outcome.reason, settings);
  return rows;
}

/** A response can repeat a secret. */
const hidden = (reason: string | null, { secret, previousSecret }: SystemSettings): string | null =>
  [secret, previousSecret].reduce<string | null>(
    (text, one) => (one === undefined || text === null ? text : text.replaceAll(one, '••••••')),
    reason,
  );

const outcomeOf = (group: Group, check: string, failure: string | undefined): Outcome => ({
  group,
  check,
  status: failure === undefined ? 'passed' : 'failed',
  reason: failure ?? null,
});
const skippedOutcome = (group: Group, check: string, reason: string): Outcome => ({
  group,
  check,
  status: 'skipped',
  reason,
});

async function playVersion(
  player: Player,
  version: Version,
  { isFirst, expected }: { isFirst: boolean; expected: Expected[] },
): Promise<Row> {
  const { system } = player.settings;
  player.slowestMs = 0;
  const outcomes: Outcome[] = [];
  for (const check of CHECKS) {
    if (check.once && !isFirst) continue;
    const its: Omit<Expected, 'outcome'> = { messages: [], none: [] };
    const on: CheckedVersion = {
      player,
      version,
      expectMessages: (...messages) => its.messages.push(...messages),
      expectNone: (...recipients) => its.none.push(...recipients),
    };
    const reason = check.skip?.(on);
    if (reason !== undefined) {
      outcomes.push(skippedOutcome(check.group, check.name, reason));
      continue;
    }
    const outcome = outcomeOf(check.group, check.name, await failureOf(() => check.run(on)));
    outcomes.push(outcome);
    expected.push({ outcome, ...its });
  }
  const { kind } = version;
  return {
    ...{ system: system.id, name: system.name, version: version.name, kind, outcomes },
    slowest_ms: Math.round(player.slowestMs),
  };
}

async function failureOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (error instanceof Failed) return error.message;
    throw error;
  }
}

/** After the last request of a system, so that a second message had time to be sent. */
async function judgeMessages(inbox: Inbox, expected: readonly Expected[], deadline: number): Promise<void> {
  for (const { outcome, messages, none } of expected) {
    if (outcome.status !== 'passed') continue;
    const failure = (await missingOrRepeated(inbox, messages, deadline)) ?? (await unwanted(inbox, none));
    if (failure === undefined) continue;
    outcome.status = 'failed';
    outcome.reason = failure;
  }
}

async function missingOrRepeated(
  inbox: Inbox,
  messages: readonly { to: string; code: string }[],
  deadline: number,
): Promise<string | undefined> {
  for (const to of new Set(messages.map((one) => one.to))) {
    const codes = messages.filter((one) => one.to === to).map(({ code }) => code);
    const texts = await waitForTexts(inbox, to, codes.length, deadline);
    const missing = codes.filter((code) => !texts.some((text) => says(text, code)));
    if (missing.length > 0)
      return `No message with the code was sent to ${to}, although the request was accepted.`;
    if (texts.length > codes.length)
      return `Expected ${counted(codes.length)} to ${to}, but ${texts.length} were sent.`;
  }
  return undefined;
}

/** Spoken texts have pauses between the digits. */
const says = (text: string, code: string): boolean =>
  text.includes(code) || text.replaceAll(/(?<=\d)[\s,.;…-]+(?=\d)/g, '').includes(code);

const counted = (n: number): string => (n === 1 ? 'one message' : `${n} messages`);

async function unwanted(inbox: Inbox, recipients: readonly string[]): Promise<string | undefined> {
  for (const to of recipients) {
    const texts = await inbox.textsTo(to);
    if (texts.length > 0) return `The request was refused, but ${counted(texts.length)} to ${to} was sent.`;
  }
  return undefined;
}
