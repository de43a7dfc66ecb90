/** A start that cannot or must not go on: a sentence for the operator, who needs no stack. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
