/** A mistake in a call or in a table: one clear line, no stack. */
export class WrongCall extends Error {}
