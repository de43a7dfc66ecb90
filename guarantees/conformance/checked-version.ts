import type { Expectation } from './expectation.ts';
import type { Response } from './http.ts';
import { filledDeep } from './placeholders.ts';
import { type Change, expectResponse, type Message, type Player } from './play.ts';
import type { Signature } from './signing.ts';
import type { Version } from './systems.ts';

export interface CheckedVersion {
  player: Player;
  version: Version;
  /** Wants these codes, and no others, to have been sent to the recipients at the end of the run. */
  expectMessages(...messages: { to: string; code: string }[]): void;
  /** Wants nothing to have been sent to these recipients. */
  expectNone(...recipients: string[]): void;
}

const OK: Expectation[] = [{ status: ['200-299'] }];
export const REFUSED: Expectation[] = [{ status: ['400-499'] }];
const UNAUTHORIZED: Expectation[] = [{ status: [401, 403] }];

/** The messages that a version wants. */
export const sent = ({ messages }: Version, message: Message) =>
  filledDeep(messages ?? [{ to: '{recipient}', code: '{code}' }], message);

/** Throws Failed if the system would not take the response for a success. */
export const expectAccepted = (
  what: string,
  { version, player }: CheckedVersion,
  message: Message,
  answer: Response,
) =>
  expectResponse(what, version.accepted ?? player.settings.system.accepted ?? OK, answer, {
    ...player.settings.values,
    ...message,
  });

/** The request must be accepted, and its codes must be sent. */
export async function accept(on: CheckedVersion, what: string, change?: Change): Promise<void> {
  const message = on.player.newMessage(on.version);
  expectAccepted(what, on, message, await on.player.post(on.version, message, change));
  on.expectMessages(...sent(on.version, message));
}

/** The request must get a refusal, and must send nothing. */
export async function refuse(
  on: CheckedVersion,
  what: string,
  change: Change,
  expected = on.player.settings.system.unauthorized ?? UNAUTHORIZED,
): Promise<void> {
  const message = on.player.newMessage(on.version);
  on.expectNone(...sent(on.version, message).map(({ to }) => to));
  const answer = await on.player.post(on.version, message, change);
  expectResponse(what, expected, answer, { ...on.player.settings.values, ...message });
}

/** The refusals that the system understands. */
export const refusalsOf = ({ player }: CheckedVersion): Expectation[] =>
  player.settings.system.refused ?? REFUSED;

export const signatureIn = ({ player, version }: CheckedVersion): Signature | undefined =>
  version.sign ?? player.settings.system.sign;
