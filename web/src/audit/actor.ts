import type { AuditActor, AuditEntry } from '@sixdigit/contract/audit.ts';

/** Who did it: 'You', another member's address, or what is not a member. `own` is the address of the reader. */
export const actorOf = (
  { actor, person }: Pick<AuditEntry, 'actor' | 'person'>,
  labels: Record<AuditActor, string>,
  own: string | undefined,
): string => (actor === 'owner' && person && person.email !== own ? person.email : labels[actor]);
