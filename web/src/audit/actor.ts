import type { AuditActor, AuditEntry } from '@sixdigit/contract/audit.ts';

/** A person whose data was erased. */
export const DELETED_PERSON = 'Deleted user';

/** Who did it: 'You', another member's address, or what is not a member. `own` is the id of the reader. */
export const actorOf = (
  { actor, person }: Pick<AuditEntry, 'actor' | 'person'>,
  labels: Record<AuditActor, string>,
  own: string | undefined,
): string => {
  if (actor !== 'owner' || !person) return labels[actor];
  return person.id === own ? 'You' : (person.email ?? DELETED_PERSON);
};
