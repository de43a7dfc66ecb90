/** A start that must not continue. The message is a sentence for the operator and is printed without a stack trace. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
