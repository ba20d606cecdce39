const MAX_NAME_LENGTH = 100;

/**
 * A name that the caller chose, as an error message repeats it. It may be as long as the body, and an answer that
 * repeats it whole does not fit into a message of the bus any more.
 */
export function truncateName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  return `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`;
}
